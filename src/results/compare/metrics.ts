import { numberAt } from '../fields.js';
import { latencyOfAllSent } from '../latency.js';
import type { LaneResult } from '../schema.js';

/**
 * How a figure is written. `instant`: when something happened, and infinite when it never did; `ms`: a
 * latency, and infinite when there was no answer.
 */
export type MetricUnit = 'count' | 'rate' | 'ms' | 'seconds' | 'bytes' | 'instant' | 'ratio';

/** A figure of a lane that two runs are compared by. */
export interface Metric {
  /** The path of the field in a lane, which is the metric's name. */
  name: string;
  unit: MetricUnit;
  /** What is an improvement; null where neither is. */
  better: 'less' | 'more' | null;
  /** Whether it depends on how fast the machine is, so that two machines cannot be compared by it. */
  isSpeed: boolean;
  /** null where nothing was measured; infinite for what never happened, or was never answered. */
  value: (lane: LaneResult) => number | null;
}

/** All metrics, in the order of reports. A new one is a line here. */
export const METRICS: ReadonlyMap<string, Metric> = new Map(
  [
    count('pollers.peak', 'less'),
    // A guard lowers it, a guard that never polls again does too: by itself it is neither.
    count('pollers.spawned', null),
    speed('connections.perSecondPeak', 'rate', 'less'),
    count('connections.total', 'less'),
    count('connections.localFailures', 'less'),
    count('ports.peak', 'less'),
    instant('ports.exhaustedAtMs'),
    instant('ports.kneeAtMs'),
    count('kernel.timeWaitPeak', 'less'),
    count('kernel.timeWaitOverflow', 'less'),
    ...requests('init'),
    // The driver's, not the agent's: it says how far the other figures can be trusted.
    speed('init.slipMs.p99', 'ms', null),
    ...requests('health'),
    speed('headroom.duringPerSecond', 'rate', 'more'),
    speed('process.cpuSeconds', 'seconds', 'less'),
    speed('process.rssPeakBytes', 'bytes', 'less'),
    // No speed, but a runtime starts as many as there are processors.
    speed('process.threadsPeak', 'count', 'less'),
    count('process.openFilesPeak', 'less'),
    count('process.goroutines', 'less'),
  ].map((metric) => [metric.name, metric]),
);

function count(name: string, better: Metric['better']): Metric {
  return { name, unit: 'count', better, isSpeed: false, value: (lane) => numberAt(lane, name) };
}

function speed(name: string, unit: MetricUnit, better: Metric['better']): Metric {
  return { name, unit, better, isSpeed: true, value: (lane) => numberAt(lane, name) };
}

/** The later the better, and never is best; unless the ports were not watched at all. */
function instant(name: string): Metric {
  const value = (lane: LaneResult) =>
    numberAt(lane, name) ?? (lane.ports.peak === null ? null : Number.POSITIVE_INFINITY);
  return { name, unit: 'instant', better: 'more', isSpeed: true, value };
}

function requests(stream: 'init' | 'health'): Metric[] {
  // Of nothing sent, nothing was measured.
  const outcome = (
    field: 'answered' | 'timedOut' | 'failed',
    better: Metric['better'],
  ): Metric => ({
    ...count(`${stream}.${field}`, better),
    value: (lane) => (lane[stream].sent === 0 ? null : lane[stream][field]),
  });
  return [
    outcome('answered', 'more'),
    outcome('timedOut', 'less'),
    outcome('failed', 'less'),
    ...(['p50', 'p99', 'max'] as const).map((of) => ({
      ...speed(`${stream}.latencyMs.${of}`, 'ms', 'less'),
      value: (lane: LaneResult) => latencyOfAllSent(lane[stream], of),
    })),
  ];
}
