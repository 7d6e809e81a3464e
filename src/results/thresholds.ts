import { parseDuration } from '../base/duration.js';
import { UsageError } from '../base/errors.js';
import { nearest } from '../base/nearest.js';
import { parseSize } from '../base/size.js';
import { cleanText, quoted } from '../base/text.js';
import {
  type FieldUnit,
  isLaneField,
  isResultField,
  LANE_FIELDS,
  numberAt,
  RESULT_FIELDS,
  unitOf,
} from './fields.js';
import { latencyOfAllSent } from './latency.js';
import type { Check, LaneResult, Result } from './schema.js';

type Compare = (measured: number, limit: number) => boolean;

const OPERATORS: ReadonlyMap<string, Compare> = new Map([
  ['<=', (measured, limit) => measured <= limit],
  ['<', (measured, limit) => measured < limit],
  ['>=', (measured, limit) => measured >= limit],
  ['>', (measured, limit) => measured > limit],
  ['==', (measured, limit) => measured === limit],
  ['!=', (measured, limit) => measured !== limit],
]);

/** What a value was given in: the field's own unit, or one that the field must be of. */
type LimitUnit = 'bare' | 'duration' | 'size' | 'percent';

/** A threshold as it was typed, its syntax checked. */
export interface Threshold {
  /** As it was typed, for the result. */
  expression: string;
  /** `LANE.path.to.field`, or a path outside the lanes. */
  field: string;
  operator: string;
  /** In ms for a duration, in bytes for a size. */
  limit: number;
  limitUnit: LimitUnit;
}

/** A threshold whose field exists: in one lane, or outside the lanes (`lane` null). */
interface Resolved {
  lane: string | null;
  path: string;
  /** In the field's own unit, or in percent of `whole`. */
  limit: number;
  /** The field that a limit in percent is a part of; null for other limits. */
  whole: string | null;
}

/** What a part is compared with, where a limit is given in percent. */
const WHOLE: ReadonlyMap<string, string> = new Map([
  ['ports.peak', 'ports.capacity'],
  ['kernel.timeWaitPeak', 'kernel.timeWaitLimit'],
]);

const EXAMPLE = "Give it as 'guarded.pollers.peak<=1', with one of <= < >= > == !=";

/** As many as a result may hold. */
const MOST_THRESHOLDS = 256;
const LONGEST_EXPRESSION = 512;

/**
 * Reads a threshold: `LANE.path.to.field OP VALUE[unit]`, e.g. `guarded.pollers.peak<=1`,
 * `head.health.latencyMs.p99<100ms`, `base.ports.peak<50%`. Whether the field exists is another
 * question: {@link requireFields}.
 * @throws UsageError in one line when it is none
 */
export function parseThreshold(text: string): Threshold {
  const expression = text.trim();
  const shown = `threshold ${quoted(text)}`;
  if (expression === '') throw new UsageError('a threshold is empty', EXAMPLE);
  if (expression.length > LONGEST_EXPRESSION) throw new UsageError(`${shown} is too long`, EXAMPLE);
  const match = /^([^<>=!]*)([<>=!]+)([^<>=!]*)$/.exec(expression);
  const [, field = '', operator = '', value = ''] = match?.map((part) => part.trim()) ?? [];
  if (!match) throw new UsageError(`${shown} compares nothing`, EXAMPLE);
  if (!OPERATORS.has(operator)) {
    throw new UsageError(`${shown}: ${quoted(operator)} is no comparison`, EXAMPLE);
  }
  if (field === '') throw new UsageError(`${shown} names no field`, EXAMPLE);
  return { expression, field, operator, ...parseLimit(value, shown) };
}

/** @throws UsageError for the first text that is no threshold, or when there are too many */
export function parseThresholds(texts: readonly string[]): Threshold[] {
  if (texts.length > MOST_THRESHOLDS) {
    throw new UsageError(`more than ${MOST_THRESHOLDS} thresholds`);
  }
  return texts.map(parseThreshold);
}

/**
 * Checks that every threshold is about a number that a result has, before there is one.
 * @param lanes the names of the lanes
 * @throws UsageError that names the nearest field otherwise
 */
export function requireFields(thresholds: readonly Threshold[], lanes: readonly string[]): void {
  for (const threshold of thresholds) resolve(threshold, lanes);
}

/**
 * Judges a result. What was not measured fails with "no data", and no figure of a lane that had trouble
 * or of an interrupted run passes. Latencies are those of all requests sent ({@link latencyOfAllSent}).
 * @throws UsageError for a field that does not exist
 */
export function checkThresholds(result: Result, thresholds: readonly Threshold[]): Check[] {
  const lanes = result.lanes.map(({ agent }) => agent);
  return thresholds.map((threshold) => {
    const { lane, path, limit, whole } = resolve(threshold, lanes);
    const of = lane === null ? result : result.lanes.find(({ agent }) => agent === lane);
    const lost = result.lanes.some((one) => one.agent === lane && hasNothing(one));
    const measured = lost ? null : valueAt(of, path);
    const wholeMeasured = whole === null ? null : numberAt(of, whole);
    const { expression, operator } = threshold;
    if (measured === null || (whole !== null && wholeMeasured === null)) {
      return { expression, measured: null, verdict: 'fail', reason: 'no data' };
    }
    const obstacle = obstacleTo(result, lane);
    if (obstacle !== undefined) {
      return { expression, measured: inDocument(measured), verdict: 'fail', reason: obstacle };
    }
    const bound = wholeMeasured === null ? limit : (limit / 100) * wholeMeasured;
    const passes = OPERATORS.get(operator)?.(measured, bound) === true;
    const shown = Number.isFinite(measured) ? Number(measured.toPrecision(6)) : 'no answer';
    const outcome = `${shown} ${passes ? '' : 'is not '}${operator} ${bound}`;
    return {
      expression,
      measured: inDocument(measured),
      verdict: passes ? 'pass' : 'fail',
      reason: whole === null ? outcome : `${outcome} (${limit} % of ${wholeMeasured})`,
    };
  });
}

/**
 * The same result with the checks of some thresholds, behind those that it has already; one that is
 * asked for again is judged anew.
 * @throws UsageError for a field that does not exist
 */
export function withChecks(result: Result, thresholds: readonly Threshold[]): Result {
  const checks = checkThresholds(result, thresholds);
  const isNew = ({ expression }: Check) => !checks.some((check) => check.expression === expression);
  return { ...result, checks: [...result.checks.filter(isNew), ...checks] };
}

function parseLimit(text: string, shown: string): Pick<Threshold, 'limit' | 'limitUnit'> {
  const [, number, unit = ''] = /^(\d{1,15}(?:\.\d+)?|\.\d+)\s*(.*)$/s.exec(text) ?? [];
  if (number === undefined) {
    throw new UsageError(`${shown}: ${quoted(text)} is no number of 0 or more`, EXAMPLE);
  }
  if (unit === '') return { limit: Number(number), limitUnit: 'bare' };
  if (unit === '%') return { limit: Number(number), limitUnit: 'percent' };
  try {
    return {
      limit: withUnit(text, number, unit),
      limitUnit: isDurationUnit(unit) ? 'duration' : 'size',
    };
  } catch (thrown) {
    if (!(thrown instanceof UsageError)) throw thrown;
    throw new UsageError(`${shown}: ${thrown.what}`, EXAMPLE);
  }
}

/** ms or bytes. A limit of nothing makes sense (`> 0ms`), a duration or a size of nothing does not. */
function withUnit(text: string, number: string, unit: string): number {
  const read = isDurationUnit(unit) ? parseDuration : parseSize;
  const isZero = Number(number) === 0 && !/\d/.test(unit);
  if (!isZero) return read(text.replace(/\s+/, ''), 'its value');
  read(`1${unit}`, 'its value');
  return 0;
}

function isDurationUnit(unit: string): boolean {
  return /^(us|µs|ms|s|m|h)/.test(unit);
}

function resolve(threshold: Threshold, lanes: readonly string[]): Resolved {
  const { lane, path } = findField(threshold, lanes);
  const { limit, limitUnit } = threshold;
  const unit = unitOf(path);
  const shown = `threshold ${quoted(threshold.expression)}`;
  if (limitUnit === 'percent') {
    const whole = lane === null ? undefined : WHOLE.get(path);
    if (whole !== undefined) return { lane, path, limit, whole };
    throw new UsageError(
      `${shown}: ${path} is no part of anything`,
      `Percents are for ${[...WHOLE.keys()].join(' and ')}`,
    );
  }
  if (limitUnit === 'duration' && unit !== 'ms' && unit !== 'seconds') {
    throw new UsageError(`${shown}: ${path} is no duration`, UNIT_MEND[unit]);
  }
  if (limitUnit === 'size' && unit !== 'bytes') {
    throw new UsageError(`${shown}: ${path} is no size`, UNIT_MEND[unit]);
  }
  const isInMs = limitUnit === 'duration' && unit === 'seconds';
  return { lane, path, limit: isInMs ? limit / 1e3 : limit, whole: null };
}

const UNIT_MEND: Record<FieldUnit, string> = {
  ms: 'Give a duration, such as 100ms or 1.5s',
  seconds: 'Give a duration, such as 100ms or 1.5s',
  bytes: 'Give a size, such as 512MiB',
  none: 'Give a plain number',
};

/**
 * Names of lanes may contain dots: the longest one that leaves a field behind it is meant, and a
 * lane goes before a field outside the lanes.
 */
function findField(
  { field, expression }: Threshold,
  lanes: readonly string[],
): Pick<Resolved, 'lane' | 'path'> {
  const meant = lanes
    .filter((lane) => field.startsWith(`${lane}.`))
    .sort((a, b) => b.length - a.length);
  for (const lane of meant) {
    const path = field.slice(lane.length + 1);
    if (isLaneField(path)) return { lane, path };
  }
  if (isResultField(field)) return { lane: null, path: field };
  const known = [
    ...lanes.flatMap((lane) => LANE_FIELDS.map((f) => `${lane}.${f}`)),
    ...RESULT_FIELDS,
  ];
  const guess = nearest(field, known);
  const lane = meant[0];
  throw new UsageError(
    `threshold ${quoted(expression)}: ${
      lane === undefined
        ? `${quoted(field)} is no field and begins with no lane`
        : `lane ${quoted(lane)} has no number ${quoted(field.slice(lane.length + 1))}`
    }`,
    `${guess === undefined ? '' : `Did you mean ${guess}? `}Lanes: ${namesOf(lanes)}`,
  );
}

/** The first few names, bounded: an error is one line. */
function namesOf(lanes: readonly string[]): string {
  const shown = lanes.slice(0, 4).map((name) => cleanText(name, 40));
  return [...shown, ...(lanes.length > shown.length ? ['…'] : [])].join(', ');
}

/** A lane that ended before it measured anything: its counts of 0 are no measurement. */
function hasNothing({ trouble, init, health }: LaneResult): boolean {
  return trouble !== null && init.sent === 0 && health.sent === 0;
}

/**
 * Why what a threshold is about decides nothing: a figure of a part of the outage, or of a lane that
 * went wrong, passes no check. What lies outside the lanes was not measured: it is as it is.
 */
function obstacleTo({ lanes, complete }: Result, lane: string | null): string | undefined {
  if (lane === null) return undefined;
  const trouble = lanes.find(({ agent }) => agent === lane)?.trouble ?? null;
  if (trouble !== null) return `no verdict: the lane had trouble: ${cleanText(trouble, 200)}`;
  return complete ? undefined : 'no verdict: the run was interrupted';
}

/** A latency is that of all requests sent, the unanswered ones included. */
function valueAt(of: Result | LaneResult | undefined, path: string): number | null {
  const [, stream, field] = /^(init|health)\.latencyMs\.(p50|p99|max)$/.exec(path) ?? [];
  if (of === undefined || !('init' in of) || stream === undefined) return numberAt(of, path);
  return latencyOfAllSent(
    stream === 'init' ? of.init : of.health,
    field === 'p50' || field === 'p99' ? field : 'max',
  );
}

/** Infinity, for no answer, has no place in a document. */
function inDocument(measured: number): number | null {
  return Number.isFinite(measured) ? measured : null;
}
