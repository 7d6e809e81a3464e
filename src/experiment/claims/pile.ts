import { demandPerSecond } from '../../model/closed-form.js';
import { attemptsInSecondTo, initCount, peakBefore } from '../../model/discrete.js';
import { LIFETIME_MS, TICK_MS } from '../../model/facts.js';
import type { ScenarioRecord } from '../../results/schema.js';

/** The issue counts two attempts a tick, whatever becomes of them. */
const ATTEMPTS_PER_TICK = 2;

/** Attempts per second and poller, as the issue counts them: 40. */
export const CLAIMED_RATE = demandPerSecond(1, ATTEMPTS_PER_TICK);

/** What the reckoning gives for a scenario's interval and outage. */
export interface ClaimedPile {
  /** Pollers at the fullest moment. */
  pollers: number;
  /** Attempts per second that they ask for at that moment. */
  demandPerSecond: number;
  /** Attempts in the last second of the outage, in which pollers are still being added. */
  lastSecond: number;
}

/** The pile by the claims' premise: every `/init` starts a poller, and each lives 60 s. */
export function claimedPile({ intervalMs, outageMs, bootPoller }: ScenarioRecord): ClaimedPile {
  const starts = { everyMs: intervalMs, count: initCount(intervalMs, outageMs) };
  const turns = {
    firstMs: TICK_MS,
    everyMs: TICK_MS,
    attempts: ATTEMPTS_PER_TICK,
    lifetimeMs: LIFETIME_MS,
  };
  // envd's boot poller is one more, and not the claim's matter.
  const boot = bootPoller ? 1 : 0;
  const pollers = peakBefore(outageMs, starts, LIFETIME_MS) + boot;
  return {
    pollers,
    demandPerSecond: pollers * CLAIMED_RATE,
    lastSecond: attemptsInSecondTo(outageMs, starts, turns) + boot * CLAIMED_RATE,
  };
}
