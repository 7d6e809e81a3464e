import { performance } from 'node:perf_hooks';
import { monotonicMs } from './clock.js';

/** How often a thread tells of its event loop, ms. */
export const LOOP_TOLD_EVERY_MS = 100;

/** What a thread says of its own event loop. */
export interface LoopReading {
  /** When, on {@link monotonicMs}. */
  atMs: number;
  /** For how long the loop has not waited for events so far, ms. */
  activeMs: number;
}

/** Reads the event loop of the calling thread (Node's eventLoopUtilization). */
export function loopReading(): LoopReading {
  return { atMs: monotonicMs(), activeMs: performance.eventLoopUtilization().active };
}
