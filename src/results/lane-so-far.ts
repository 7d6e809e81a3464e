import type { LaneResult, Series } from './schema.js';
import type { SERIES } from './thin.js';

/**
 * A lane of which nothing but its samples is known: its process, or the whole run, ended before it
 * could tell the rest. What a sample does not hold is null. A peak is the largest sample, ten a
 * second: what came and went between two of them is not in it.
 * @param empty the lane before anything was measured
 */
export function laneSoFar(empty: LaneResult, series: Series): LaneResult {
  const pollersPeak = largest(series, 'pollers');
  const isReference = empty.kind === 'reference';
  return {
    ...empty,
    pollers: {
      ...empty.pollers,
      peak: pollersPeak,
      source: pollersPeak === null ? null : isReference ? 'agent' : 'kernel',
    },
    connections: { ...empty.connections, perSecondPeak: largest(series, 'connectionsPerSecond') },
    ports: { ...empty.ports, peak: largest(series, 'portsInUse') },
    kernel: { ...empty.kernel, timeWaitPeak: largest(series, 'timeWait') },
    init: withLongest(empty.init, largest(series, 'initLatencyMs')),
    health: withLongest(empty.health, largest(series, 'healthLatencyMs')),
    series,
  };
}

/** Whether anything at all was measured in a lane. */
export function hasMeasured({ series, init, health }: LaneResult): boolean {
  return series.tMs.length > 0 || (init.sent ?? 0) > 0 || (health.sent ?? 0) > 0;
}

function withLongest(empty: LaneResult['init'], max: number | null): LaneResult['init'] {
  return { ...empty, latencyMs: { ...empty.latencyMs, max } };
}

/** Thinning keeps the extremes, so that this is the largest of all samples. */
function largest(series: Series, name: (typeof SERIES)[number]): number | null {
  return series[name].reduce(
    (most, one) => (one === null ? most : Math.max(most ?? one, one)),
    null,
  );
}
