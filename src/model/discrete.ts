import { beginsWithin } from '../base/duration.js';

/**
 * The storm counted exactly: the k-th `/init` comes at k · I, the pollers it starts make their
 * attempts at fixed ages. Every time is ms after the first `/init`; every span is half open: what
 * falls on its end is outside.
 */

/** When pollers start: at 0 and then at every `everyMs` (Infinity: only the one), `count` in all. */
export interface Starts {
  everyMs: number;
  count: number;
}

/** What one poller does: `attempts` at the age `firstMs` and at every `everyMs` after, while it lives. */
export interface Turns {
  firstMs: number;
  everyMs: number;
  attempts: number;
  /** How long the poller lives, ms; Infinity for the boot poller. */
  lifetimeMs: number;
}

/** How many `/init`s a driver sends at a fixed interval: ceil(outage / I), the first at once. */
export function initCount(intervalMs: number, outageMs: number): number {
  return beginsWithin(outageMs, intervalMs);
}

/** Pollers started before `tMs`. */
export function startedBefore(tMs: number, { everyMs, count }: Starts): number {
  if (tMs <= 0) return 0;
  return Math.min(count, Math.max(1, Math.ceil(tMs / everyMs)));
}

/** Pollers alive at the instant `tMs`: started at or before it, and not yet `lifetimeMs` old. */
export function aliveAt(tMs: number, { everyMs, count }: Starts, lifetimeMs: number): number {
  // floor(t / I) + 1 have started at or before t; for Infinity that is the one at 0.
  const startedUpTo = (t: number) => (t < 0 ? 0 : Math.min(count, Math.floor(t / everyMs) + 1));
  return startedUpTo(tMs) - startedUpTo(tMs - lifetimeMs);
}

/** The most pollers alive at once before `tMs`. */
export function peakBefore(tMs: number, starts: Starts, lifetimeMs: number): number {
  // Also for Infinity: of starts that never come again there is one.
  const room = Number.isFinite(starts.everyMs) ? Math.ceil(lifetimeMs / starts.everyMs) : 1;
  return Math.min(startedBefore(tMs, starts), room);
}

/** Attempts made before `tMs` by all pollers, those included that have ended. */
export function attemptsBefore(tMs: number, starts: Starts, turns: Turns): number {
  let total = 0;
  // By age and not by poller: a poller has at most some thousand ages, a run millions of pollers.
  const oldest = Math.min(turns.lifetimeMs, tMs);
  for (let turn = 0; ; turn++) {
    const age = turn === 0 ? turns.firstMs : turns.firstMs + turn * turns.everyMs;
    if (age >= oldest) return total;
    total += turns.attempts * startedBefore(tMs - age, starts);
  }
}

/** Attempts in the second that ends at `tMs`. */
export function attemptsInSecondTo(tMs: number, starts: Starts, turns: Turns): number {
  return attemptsBefore(tMs, starts, turns) - attemptsBefore(tMs - 1e3, starts, turns);
}
