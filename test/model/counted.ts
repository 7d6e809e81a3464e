import type { Starts, Turns } from '../../src/model/discrete.js';

/** The instants at which pollers start, one by one. */
export function startsOneByOne({ everyMs, count }: Starts): number[] {
  return Array.from({ length: count }, (_, k) => (k === 0 ? 0 : k * everyMs));
}

/** Every attempt of every poller before `tMs`, one by one: what discrete.ts counts in sums. */
export function attemptsOneByOne(tMs: number, starts: Starts, turns: Turns): number {
  let total = 0;
  for (const startMs of startsOneByOne(starts)) {
    let age = turns.firstMs;
    while (age < turns.lifetimeMs && startMs + age < tMs) {
      total += turns.attempts;
      age += turns.everyMs;
    }
  }
  return total;
}

/** Pollers alive at an instant, one by one. */
export function aliveOneByOne(tMs: number, starts: Starts, lifetimeMs: number): number {
  return startsOneByOne(starts).filter((startMs) => startMs <= tMs && tMs < startMs + lifetimeMs)
    .length;
}
