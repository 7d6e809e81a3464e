import { timeWaitLimit } from '../../src/model/closed-form.js';
import type { LaneInput } from '../../src/model/predict.js';
import type { SandboxInput } from '../../src/model/simulation.js';

/** `refused@0,none@50000` and the like. */
export function schedule(
  text: string,
  parameters: Record<string, number> = {},
): LaneInput['faults'] {
  return text.split(',').map((step) => {
    const [name = '', at = '0'] = step.split('@');
    return { atMs: Number(at), name, parameters };
  });
}

/** The storm in E2B's default guest. */
export const usualSandbox: SandboxInput = {
  intervalMs: 100,
  outageMs: 60_000,
  faults: schedule('refused'),
  retry: 'fixed',
  poller: 'issue',
  guarded: false,
  bootPoller: false,
  initTimeoutMs: 10_000,
  retryPauseMs: 5,
  retryBudgetMs: 10_000,
  auth: 'stored',
  mmdsClose: 'auto',
  guest: { ports: 28_232, timeWait: timeWaitLimit(2 ** 30) },
  machine: { attemptsPerSecond: null, attemptsPerSecondPastHalf: null },
};
