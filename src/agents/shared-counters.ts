import { type Counters, newCounters } from './counters.js';

const NAMES = Object.keys(newCounters()) as (keyof Counters)[];

/** Memory for the counters of one thread. */
export function counterMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(NAMES.length * Float64Array.BYTES_PER_ELEMENT);
}

/**
 * Counters in memory that threads share: one thread writes them, any may read them at any time. A
 * double holds every whole number up to 2^53.
 */
export function sharedCounters(memory: SharedArrayBuffer): Counters {
  const values = new Float64Array(memory);
  const counters = newCounters();
  NAMES.forEach((name, at) => {
    Object.defineProperty(counters, name, {
      enumerable: true,
      get: () => values[at],
      set: (value: number) => {
        values[at] = value;
      },
    });
  });
  return counters;
}

/**
 * What several have counted in all: sums, and the largest of attemptsPerPollerMax. The largest sum
 * of their pollers is not in their own counts: pollersPeak is the caller's.
 */
export function sumCounters(all: readonly Readonly<Counters>[], pollersPeak: number): Counters {
  const sum = newCounters();
  for (const counters of all) {
    for (const name of NAMES) sum[name] += counters[name];
  }
  sum.attemptsPerPollerMax = Math.max(0, ...all.map((one) => one.attemptsPerPollerMax));
  sum.pollersPeak = pollersPeak;
  return sum;
}
