import type { Metric, MetricUnit } from './metrics.js';
import type { MedianInterval, RankTest } from './statistics.js';

/**
 * What a row shows. `undecided`: too few samples for any difference to be shown; `not-judged`:
 * absolute speeds of two machines; `void`: a lane that the figure is of had trouble, or its run was
 * interrupted.
 */
export type RowVerdict =
  | 'better'
  | 'worse'
  | 'different'
  | 'no-change'
  | 'undecided'
  | 'not-judged'
  | 'void'
  | 'no-data';

/** One side of a row: a sample from every result that has the figure. */
export interface Samples {
  /** In the order of the results; infinite for what never happened, or was never answered. */
  values: number[];
  /** null where nothing was measured. */
  median: number | null;
  /** null of fewer than two values. */
  interval: MedianInterval | null;
}

/** One metric of one lane, or its ratio to the first lane within one run. */
export interface Row {
  /** `guarded`, or `guarded/unguarded` for a ratio, or `base → head` for two lanes. */
  label: string;
  /** The lanes that limits know it by. */
  lanes: readonly string[];
  metric: string;
  unit: MetricUnit;
  better: Metric['better'];
  base: Samples;
  head: Samples;
  /** null where a side has no data. */
  test: RankTest | null;
  verdict: RowVerdict;
}
