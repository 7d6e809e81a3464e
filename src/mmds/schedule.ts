import { formatDuration, parseDuration } from '../base/duration.js';
import { UsageError } from '../base/errors.js';
import { quoted } from '../base/text.js';
import { type FaultSpec, formatFault, parseFault } from './fault-spec.js';

/** A fault and the moment at which it begins, in ms from the start of the outage. */
export interface FaultStep {
  readonly atMs: number;
  readonly fault: FaultSpec;
}

const EXAMPLE = 'refused@0s,hijack@20s,none@50s';
const MOST_STEPS = 100;
const ZERO = /^0+(\.0+)?(us|µs|ms|s|m|h)?$/;

/**
 * Reads one fault, or a schedule of faults: `refused`, `slow:2s`, `refused@0s,hijack@20s,none@50s`.
 * @param flagName the flag or field, for the error text, e.g. `--fault`
 * @returns at least one step; the first at 0, the times rising
 * @throws UsageError on anything else
 */
export function parseFaultSchedule(text: string, flagName: string): FaultStep[] {
  const mend = `Give it as ${flagName} refused or ${flagName} ${EXAMPLE}`;
  if (text.trim() === '') throw new UsageError(`${flagName} is empty`, mend);
  const parts = text.split(',', MOST_STEPS + 1);
  if (parts.length > MOST_STEPS) {
    throw new UsageError(`${flagName} has more than ${MOST_STEPS} steps`, mend);
  }
  const steps: FaultStep[] = [];
  for (const part of parts) {
    const step = parseStep(part.trim(), steps.length === 0, flagName, mend);
    const before = steps.at(-1);
    if (before && step.atMs <= before.atMs) {
      throw new UsageError(
        `${flagName} goes back in time: ${shown(part)} does not come after ${formatTime(before.atMs)}`,
        mend,
      );
    }
    steps.push(step);
  }
  return steps;
}

/** Writes a schedule so that {@link parseFaultSchedule} reads it back. */
export function formatFaultSchedule(steps: readonly FaultStep[]): string {
  return steps
    .map(({ atMs, fault }) =>
      steps.length === 1 ? formatFault(fault) : `${formatFault(fault)}@${formatTime(atMs)}`,
    )
    .join(',');
}

function parseStep(part: string, first: boolean, flagName: string, mend: string): FaultStep {
  if (part === '') throw new UsageError(`${flagName} has an empty step`, mend);
  const at = part.indexOf('@');
  const name = at === -1 ? part : part.slice(0, at);
  if (at === -1 && !first) {
    throw new UsageError(`${flagName} does not say when ${shown(part)} begins`, mend);
  }
  const atMs = at === -1 ? 0 : parseTime(part.slice(at + 1), flagName, mend);
  if (first && atMs !== 0) {
    throw new UsageError(`${flagName} must begin at 0, not with ${shown(part)}`, mend);
  }
  return { atMs, fault: parseFault(name, flagName) };
}

function parseTime(text: string, flagName: string, mend: string): number {
  if (ZERO.test(text)) return 0;
  try {
    return parseDuration(text, `the time in ${flagName}`);
  } catch (thrown) {
    throw thrown instanceof UsageError ? new UsageError(thrown.what, mend) : thrown;
  }
}

function formatTime(atMs: number): string {
  return atMs === 0 ? '0s' : formatDuration(atMs);
}

function shown(part: string): string {
  return quoted(part);
}
