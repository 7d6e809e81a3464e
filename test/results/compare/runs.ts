import { type LaneResult, type Result, resultSchema } from '../../../src/results/schema.js';
import { storm } from '../../fixtures/results.js';

/** What differs between the repeats of a run. */
export interface RunChange {
  result?: (result: Result) => Result;
  unguarded?: (lane: LaneResult) => LaneResult;
  guarded?: (lane: LaneResult) => LaneResult;
}

let made = 0;

/** A run of the storm as the fixture has it, changed; every one has an id of its own. */
export function run({ result, unguarded, guarded }: RunChange = {}): Result {
  const id = `20250131T120000.000Z-${String(made++).padStart(12, '0')}`;
  const changed = { ...storm(), id };
  const lanes = changed.lanes.map((lane) => {
    const change = lane.agent === 'guarded' ? guarded : unguarded;
    return change ? change(lane) : lane;
  });
  return resultSchema.parse({ ...(result?.({ ...changed, lanes }) ?? { ...changed, lanes }) });
}

/** One run for every value of the guarded lane's latency of `/init` (p99, ms). */
export function withLatencies(...values: (number | null)[]): Result[] {
  return values.map((p99) =>
    run({
      guarded: (lane) => ({
        ...lane,
        init: { ...lane.init, latencyMs: { ...lane.init.latencyMs, p99 } },
      }),
    }),
  );
}

/** One run for every value of the guarded lane's peak of pollers. */
export function withPeaks(...values: (number | null)[]): Result[] {
  return values.map((peak) =>
    run({ guarded: (lane) => ({ ...lane, pollers: { ...lane.pollers, peak } }) }),
  );
}

/** One run for every time at which the guarded lane's ports were exhausted; null for never. */
export function withExhaustion(...values: (number | null)[]): Result[] {
  return values.map((exhaustedAtMs) =>
    run({ guarded: (lane) => ({ ...lane, ports: { ...lane.ports, exhaustedAtMs } }) }),
  );
}

/** The same run on another machine. */
export function elsewhere(result: Result, machine: Partial<Result['machine']>): Result {
  return { ...result, machine: { ...result.machine, ...machine } };
}
