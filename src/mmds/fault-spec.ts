import { formatDuration, parseDuration } from '../base/duration.js';
import { UsageError } from '../base/errors.js';
import { lookUp } from '../base/nearest.js';
import { quoted } from '../base/text.js';
import type { Fault, Parameter, Phase } from './fault.js';
import { faults } from './faults/index.js';

/** A fault as it is chosen: its name, and values for its parameters (durations in ms). */
export interface FaultSpec {
  readonly name: string;
  /** Those that are left out have their default. */
  readonly parameters: Readonly<Record<string, number>>;
}

/**
 * Reads one fault, e.g. `refused`, `slow:2s`, `flap:5s/1s`, `http-error:503`.
 * @param flagName the flag or field, for the error text, e.g. `--fault`
 * @returns the fault with a value for each of its parameters
 * @throws UsageError on an unknown name, or a parameter too many, unreadable or out of range
 */
export function parseFault(text: string, flagName: string): FaultSpec {
  const colon = text.indexOf(':');
  const fault = lookUp('fault', colon === -1 ? text : text.slice(0, colon), faults);
  const given = colon === -1 ? [] : text.slice(colon + 1).split('/');
  const known = Object.entries(fault.parameters);
  if (given.length > known.length) {
    throw new UsageError(
      `${flagName} ${quoted(text)}: ${fault.name} takes ` +
        `${known.length === 0 ? 'no parameters' : `at most ${known.length}`}`,
      mend(fault, flagName),
    );
  }
  const values = known.map(([name, parameter], index) => {
    const typed = given[index];
    return [
      name,
      typed === undefined ? parameter.default : readValue(typed, parameter, fault, flagName),
    ];
  });
  return { name: fault.name, parameters: Object.fromEntries(values) };
}

/** Writes a fault so that {@link parseFault} reads it back: `flap:5s/1s`. */
export function formatFault({ name, parameters }: FaultSpec): string {
  const fault = lookUp('fault', name, faults);
  const values = Object.entries(fault.parameters).map(([key, parameter]) =>
    formatValue(parameters[key] ?? parameter.default, parameter),
  );
  return values.length === 0 ? name : `${name}:${values.join('/')}`;
}

/** How a fault is typed, with its defaults: `slow:2s`. */
export function faultUsage(fault: Fault): string {
  return formatFault({ name: fault.name, parameters: {} });
}

/**
 * The phases of a chosen fault.
 * @param isolation where MMDS runs
 * @throws UsageError on an unknown fault or parameter, a value out of range, or a fault that
 * cannot be had in this isolation
 */
export function phasesOf(spec: FaultSpec, isolation: 'netns' | 'loopback'): readonly Phase[] {
  const fault = lookUp('fault', spec.name, faults);
  assertPossible(fault, isolation);
  const stranger = Object.keys(spec.parameters).find(
    (key) => !Object.hasOwn(fault.parameters, key),
  );
  if (stranger !== undefined) {
    throw new UsageError(`fault ${fault.name} has no parameter ${JSON.stringify(stranger)}`);
  }
  const values = Object.entries(fault.parameters).map(([key, parameter]) => {
    const value = spec.parameters[key] ?? parameter.default;
    assertInRange(value, parameter, fault, 'fault');
    return [key, value];
  });
  return fault.phases(Object.fromEntries(values));
}

/** @throws UsageError with the reason when the fault cannot be had in this isolation */
export function assertPossible(fault: Fault, isolation: 'netns' | 'loopback'): void {
  if (isolation === 'loopback' && fault.loopbackRefusal !== null) {
    throw new UsageError(
      `fault ${fault.name} does not work on loopback: ${fault.loopbackRefusal}`,
      'Use --isolation netns, or another fault',
    );
  }
}

function readValue(typed: string, parameter: Parameter, fault: Fault, flagName: string): number {
  let value: number;
  if (parameter.unit === 'integer') {
    value = /^\d{1,9}$/.test(typed) ? Number(typed) : Number.NaN;
  } else {
    try {
      value = parseDuration(typed, `${flagName} ${fault.name}:`);
    } catch (thrown) {
      if (!(thrown instanceof UsageError)) throw thrown;
      throw new UsageError(thrown.what, mend(fault, flagName));
    }
  }
  assertInRange(value, parameter, fault, flagName, typed);
  return value;
}

function assertInRange(
  value: number,
  parameter: Parameter,
  fault: Fault,
  flagName: string,
  typed = `${value}`,
): void {
  const whole = parameter.unit === 'duration' || Number.isInteger(value);
  if (whole && value >= parameter.min && value <= parameter.max) return;
  throw new UsageError(
    `${flagName} ${fault.name}: ${parameter.summary} must be ${formatValue(parameter.min, parameter)} ` +
      `to ${formatValue(parameter.max, parameter)}, not ${quoted(typed)}`,
    mend(fault, flagName),
  );
}

function formatValue(value: number, parameter: Parameter): string {
  return parameter.unit === 'duration' ? formatDuration(value) : `${value}`;
}

function mend(fault: Fault, flagName: string): string {
  return `Give it as ${flagName} ${faultUsage(fault)}`;
}
