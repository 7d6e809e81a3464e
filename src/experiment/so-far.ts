import { laneSoFar } from '../results/lane-so-far.js';
import type { LaneResult, ScenarioRecord, Series } from '../results/schema.js';
import { findOverload } from './overload.js';

const NEVER_TOLD = { utilizationPeak: null, delayMaxMs: null };

/** What was kept of a lane's samples. */
export interface Kept {
  series: Series;
  /** The longest time between two of them, ms. */
  gapMaxMs: number;
}

/**
 * A lane of which nothing but its samples is known: besides their figures, that some came late. Of other
 * overload nobody knows.
 * @param empty the lane before anything was measured
 */
export function measuredSoFar(
  empty: LaneResult,
  { series, gapMaxMs }: Kept,
  scenario: Pick<ScenarioRecord, 'intervalMs'>,
): { lane: LaneResult; findings: string[] } {
  const load = {
    sampleGapMaxMs: gapMaxMs,
    agentCpusPeak: null,
    processorsBusyPeak: null,
    driverLoop: NEVER_TOLD,
    agentLoop: NEVER_TOLD,
    mmdsLoop: NEVER_TOLD,
  };
  const lane = { ...laneSoFar(empty, series), load };
  const found = findOverload({ lane, isWhole: false, load, scenario, cpus: 1 });
  return {
    lane: { ...lane, overload: found.map(({ overload }) => overload) },
    findings: found.map(({ text }) => text),
  };
}
