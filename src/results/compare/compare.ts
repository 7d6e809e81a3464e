import type { Result } from '../schema.js';
import { type LanePair, laneOf, pairLanes } from './lanes.js';
import { judgeLimits, type LimitCheck, type RegressionLimit } from './limits.js';
import { METRICS, type Metric } from './metrics.js';
import type { Row, RowVerdict, Samples } from './row.js';
import { machineDifferences, requireSameScenario } from './sameness.js';
import { mannWhitney, median, medianInterval, type RankTest, smallestP } from './statistics.js';

/** Name and version of what `compare --json` prints. */
export const COMPARISON_SCHEMA = 'envd-bench/compare/v1';

export interface Comparison {
  schema: typeof COMPARISON_SCHEMA;
  /** The ids of the results. */
  base: string[];
  head: string[];
  /** The p below which a difference counts as shown. */
  alpha: number;
  /** Why the machines cannot be compared by speeds; empty when they are alike. */
  machineDifferences: string[];
  /** What a reader must know, as sentences. */
  warnings: string[];
  rows: Row[];
  limits: LimitCheck[];
}

export interface CompareOptions {
  /** E.g. 0.05. */
  alpha: number;
  /** Compares even what was not asked alike. */
  force: boolean;
  /** The one pair of lanes to compare; left out: all lanes of one name. */
  lanes?: LanePair | undefined;
  limits: readonly RegressionLimit[];
  /** What is known of the sides beside their results, as sentences. */
  warnings?: readonly string[];
}

/**
 * Compares two sides of one or more results each. What only depends on counts is always judged;
 * absolute speeds only between machines alike, otherwise their ratios within one run in their place.
 * @param base at least one result
 * @param head at least one result
 * @throws UsageError for different scenarios (unless forced), lanes that do not match, or a limit
 * on a lane that is not compared
 */
export function compareResults(
  base: readonly Result[],
  head: readonly Result[],
  options: CompareOptions,
): Comparison {
  const warnings = requireSameScenario(base, head, options.force);
  const machines = machineDifferences(base, head);
  const { pairs, unpaired } = pairLanes(base, head, options.lanes);
  const areMachinesAlike = machines.length === 0;
  const figures = [...pairs.flatMap(laneFigures), ...(areMachinesAlike ? [] : ratioFigures(pairs))];
  const rows = figures.map((figure) => rowOf(figure, base, head, options.alpha, areMachinesAlike));
  return {
    schema: COMPARISON_SCHEMA,
    base: base.map(({ id }) => id),
    head: head.map(({ id }) => id),
    alpha: options.alpha,
    machineDifferences: machines,
    warnings: [
      ...(options.warnings ?? []),
      ...warnings,
      ...unpaired.map((name) => `the lane ${name} is on one side only: left out`),
      ...troubles('base', base),
      ...troubles('head', head),
      ...overloads('base', base),
      ...overloads('head', head),
      ...pairs.flatMap((pair) => otherSources(pair, base, head)),
    ],
    rows,
    limits: judgeLimits(options.limits, rows),
  };
}

/** Whether at least one figure has data on both sides, of lanes that went well. */
export function isAnythingCompared({ rows }: Pick<Comparison, 'rows'>): boolean {
  return rows.some(({ verdict }) => verdict !== 'void' && verdict !== 'no-data');
}

/** What a row is made of, before any result is looked at. */
interface Figure extends Pick<Row, 'label' | 'lanes' | 'metric' | 'unit' | 'better'> {
  isSpeed: boolean;
  /** The lanes that it is taken from, on each side. */
  from: { base: readonly string[]; head: readonly string[] };
  base: (result: Result) => number | null;
  head: (result: Result) => number | null;
}

function laneFigures(pair: LanePair): Figure[] {
  const isOne = pair.base === pair.head;
  return [...METRICS.values()].map((metric) => ({
    label: isOne ? pair.base : `${pair.base} → ${pair.head}`,
    lanes: isOne ? [pair.base] : [pair.base, pair.head],
    metric: metric.name,
    unit: metric.unit,
    better: metric.better,
    isSpeed: metric.isSpeed,
    from: { base: [pair.base], head: [pair.head] },
    base: (result) => valueIn(result, pair.base, metric),
    head: (result) => valueIn(result, pair.head, metric),
  }));
}

/** Every speed of every further lane over the first lane's: the machine cancels out. */
function ratioFigures([first, ...others]: readonly LanePair[]): Figure[] {
  if (first === undefined) return [];
  const speeds = [...METRICS.values()].filter(({ isSpeed, unit }) => isSpeed && unit !== 'instant');
  return others.flatMap((pair) =>
    speeds.map((metric) => {
      const ratio = (over: string, under: string) => (result: Result) =>
        quotient(valueIn(result, over, metric), valueIn(result, under, metric));
      return {
        label: `${pair.base}/${first.base}`,
        lanes: [pair.base],
        metric: metric.name,
        unit: 'ratio' as const,
        better: metric.better,
        isSpeed: false,
        from: { base: [pair.base, first.base], head: [pair.head, first.head] },
        base: ratio(pair.base, first.base),
        head: ratio(pair.head, first.head),
      };
    }),
  );
}

function rowOf(
  { isSpeed, from, base, head, ...what }: Figure,
  baseResults: readonly Result[],
  headResults: readonly Result[],
  alpha: number,
  areMachinesAlike: boolean,
): Row {
  const sides = {
    base: samples(baseResults, base, alpha),
    head: samples(headResults, head, alpha),
  };
  if (isVoid(baseResults, from.base) || isVoid(headResults, from.head)) {
    return { ...what, ...sides, test: null, verdict: 'void' };
  }
  const hasData = sides.base.median !== null && sides.head.median !== null;
  const test = hasData ? mannWhitney(sides.base.values, sides.head.values) : null;
  const verdict = verdictOf(test, sides, what.better, alpha);
  const isJudged = areMachinesAlike || !isSpeed || test === null;
  return { ...what, ...sides, test, verdict: isJudged ? verdict : 'not-judged' };
}

/**
 * Whether the figures of these lanes decide nothing: one had trouble, or its run was interrupted, in any
 * of the results. To leave such a repeat out would compare only those that went well.
 */
function isVoid(results: readonly Result[], names: readonly string[]): boolean {
  return results.some(
    (result) =>
      !result.complete || names.some((name) => (laneOf(result, name)?.trouble ?? null) !== null),
  );
}

function verdictOf(
  test: RankTest | null,
  { base, head }: Pick<Row, 'base' | 'head'>,
  better: Row['better'],
  alpha: number,
): RowVerdict {
  if (test === null) return 'no-data';
  if (smallestP(base.values.length, head.values.length) >= alpha) return 'undecided';
  if (test.p >= alpha) return 'no-change';
  if (better === null) return 'different';
  return test.effect > 0 === (better === 'more') ? 'better' : 'worse';
}

function samples(
  results: readonly Result[],
  value: (result: Result) => number | null,
  alpha: number,
): Samples {
  const values = results.map(value).filter((one) => one !== null);
  return {
    values,
    median: values.length === 0 ? null : median(values),
    interval: medianInterval(values, 1 - alpha),
  };
}

function valueIn(result: Result, name: string, metric: Metric): number | null {
  const lane = laneOf(result, name);
  return lane === undefined ? null : metric.value(lane);
}

function quotient(over: number | null, under: number | null): number | null {
  const ratio = over === null || under === null ? Number.NaN : over / under;
  return Number.isFinite(ratio) ? ratio : null;
}

function troubles(side: string, results: readonly Result[]): string[] {
  return results.flatMap(({ id, lanes }) =>
    lanes.flatMap(({ agent, trouble }) =>
      trouble === null ? [] : [`trouble in ${agent} (${side}, ${id}): ${trouble}`],
    ),
  );
}

/** Figures that the tool or the machine could not follow are compared, but not without a word. */
function overloads(side: string, results: readonly Result[]): string[] {
  return results.flatMap(({ id, lanes }) =>
    lanes.flatMap(({ agent, overload }) =>
      overload.length === 0
        ? []
        : [`${agent} (${side}, ${id}) was overloaded (${overload.join(', ')}): see its notes`],
    ),
  );
}

/** An estimate beside a count: their difference may be that of the two ways of counting. */
function otherSources(pair: LanePair, base: readonly Result[], head: readonly Result[]): string[] {
  const sources = (results: readonly Result[], name: string): string =>
    [...new Set(results.map((result) => laneOf(result, name)?.pollers.source ?? 'nothing'))]
      .sort()
      .join(', ');
  const [before, after] = [sources(base, pair.base), sources(head, pair.head)];
  return before === after
    ? []
    : [`the pollers of ${pair.head} are known from ${before} in base, from ${after} in head`];
}
