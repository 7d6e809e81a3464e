import { DEFAULT_PORT_RANGE, guardRules } from '../../src/planning/measured.js';
import type { Planned } from '../../src/planning/sandbox.js';
import type { Calibration } from '../../src/results/plan.js';

/** The storm in one sandbox, by a fault that leaves TIME_WAIT, in a guest with room for it. */
export const usualPlan: Planned = {
  input: {
    intervalMs: 100,
    outageMs: 20_000,
    fault: 'http-error',
    retry: 'fixed',
    initTimeoutMs: 10_000,
    retryPauseMs: 5,
    retryBudgetMs: 10_000,
    poller: 'issue',
    auth: 'stored',
    bootPoller: false,
    mmdsClose: 'auto',
    mmdsVersion: 'V2',
    guest: { memoryBytes: 24 * 2 ** 30, portRange: DEFAULT_PORT_RANGE },
    sandboxesPerHost: 1,
    hosts: 1,
    staggerMs: 0,
    seed: 1,
  },
  faults: [{ atMs: 0, name: 'http-error', parameters: {} }],
  agents: [
    { name: 'unguarded', ...guardRules('unguarded') },
    { name: 'guarded', ...guardRules('guarded') },
  ],
  calibration: null,
};

export function planOf(change: Partial<Planned['input']>): Planned {
  return { ...usualPlan, input: { ...usualPlan.input, ...change } };
}

export const someCalibration: Calibration = {
  machine: { kernel: '6.1', cpus: 2, node: 'v20' },
  agents: ['unguarded'],
  results: ['one'],
  cpuSecondsPerAttempt: 1e-4,
  cpuCoresIdle: 0.01,
  rssBytesPerPoller: 10_000,
  rssBytesIdle: 50_000_000,
  attemptsPerSecondSeen: 3000,
  attemptsPerSecond: null,
  attemptsPerSecondPastHalf: null,
  leastShareOfDemand: 1,
};
