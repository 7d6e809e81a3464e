import type { LaneResult, Requests } from '../../src/results/schema.js';
import { merged, type Part } from './part.js';

function answered(sent: number): Requests {
  return {
    sent,
    answered: sent,
    timedOut: 0,
    failed: 0,
    statuses: { '204': sent },
    latencyMs: { p50: 1, p99: 3.5, max: 9 },
    slipMs: { p50: 0.1, p99: 1, max: 2 },
    histogram: null,
    slipHistogram: null,
  };
}

/** The lane of the issue: 600 pollers and 24,000/s at the end of 60 s, sampled every 100 ms. */
export const unguarded: LaneResult = {
  agent: 'unguarded',
  guard: 'unguarded',
  kind: 'reference',
  version: '0.6.13',
  trouble: null,
  predicted: { pollersPeak: 600, connectionsPerSecondPeak: 24_000, connectionsTotal: 720_000 },
  pollers: { peak: 600, spawned: 600, atEnd: null, source: 'agent' },
  connections: { total: 719_000, perSecondPeak: 23_790, localFailures: 0, source: 'kernel' },
  ports: { capacity: 28_232, peak: 700, exhaustedAtMs: null, kneeAtMs: null },
  kernel: { attemptFails: 719_000, timeWaitOverflow: 0, timeWaitPeak: 0, timeWaitLimit: 4096 },
  agentCount: {
    attempts: 719_000,
    localFailures: 0,
    descriptorFailures: 0,
    refused: 719_000,
    reset: 0,
    timedOut: 0,
    answered: 0,
    failedOtherwise: 0,
    cancelled: 0,
    ticks: 359_500,
    ticksDropped: 0,
    attemptsPerPollerMax: 1199,
    pollersFinished: 0,
    pollersExpired: 1,
  },
  identity: null,
  init: answered(600),
  health: answered(600),
  headroom: null,
  process: {
    cpuSeconds: 40,
    rssPeakBytes: 2 ** 27,
    threadsPeak: 11,
    openFilesPeak: 640,
    goroutines: null,
    overTime: null,
  },
  load: null,
  overload: [],
  setupMs: 200,
  series: storm(600, (pollers) => pollers * 40),
};

export const guarded: LaneResult = {
  ...unguarded,
  agent: 'guarded',
  guard: 'guarded',
  version: '0.6.14',
  predicted: { pollersPeak: 1, connectionsPerSecondPeak: 40, connectionsTotal: 2398 },
  pollers: { peak: 1, spawned: 1, atEnd: null, source: 'agent' },
  connections: { total: 2398, perSecondPeak: 40, localFailures: 0, source: 'kernel' },
  series: storm(
    600,
    () => 40,
    () => 1,
  ),
};

/** A series of `count` samples, 100 ms apart; by default each finds one poller more. */
export function storm(
  count: number,
  rate: (pollers: number) => number | null,
  crowd: (sample: number) => number | null = (sample) => sample + 1,
): LaneResult['series'] {
  const samples = Array.from({ length: count }, (_, i) => i);
  return {
    tMs: samples.map((i) => (i + 1) * 100),
    pollers: samples.map(crowd),
    connectionsPerSecond: samples.map((i) => rate(crowd(i) ?? 0)),
    portsInUse: samples.map(() => null),
    timeWait: samples.map(() => null),
    initLatencyMs: samples.map(() => null),
    healthLatencyMs: samples.map(() => null),
  };
}

/** A lane like another one; whatever `change` names is otherwise. */
export function lane(like: LaneResult, change: Part<LaneResult>): LaneResult {
  return merged<LaneResult>(like, change);
}

/** Nothing was asked. */
export const noRequests = { sent: 0, answered: 0, statuses: {} };

/** Samples were taken, and read nothing. */
export const unknownSeries = storm(
  1,
  () => null,
  () => null,
);

/** Nothing was measured at all: the agent never came up. */
export const dead = lane(unguarded, {
  version: null,
  pollers: { peak: null, spawned: null, atEnd: null, source: null },
  connections: { total: null, perSecondPeak: null, localFailures: null, source: null },
  ports: { capacity: null, peak: null, exhaustedAtMs: null, kneeAtMs: null },
  agentCount: null,
  init: noRequests,
  health: noRequests,
  series: unknownSeries,
});

/** Two real binaries, as alike as they can be. */
export const atBase = lane(unguarded, { agent: 'base', guard: null, kind: 'external' });
export const atHead = lane(unguarded, { agent: 'head', guard: null, kind: 'external' });
