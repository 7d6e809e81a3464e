import { performance } from 'node:perf_hooks';
import { monotonicMs } from './clock.js';

/** How often a thread tells of its event loop, ms. */
export const LOOP_TOLD_EVERY_MS = 100;

/** What is told of a thread's event loop. */
export interface LoopReading {
  /** When, on {@link monotonicMs}. */
  atMs: number;
  /** For how long the loop has not waited for events so far, ms. */
  activeMs: number;
}

/**
 * Reads an event loop (Node's eventLoopUtilization).
 * @param of whose; that of the calling thread unless said otherwise
 */
export function loopReading(
  of: Pick<typeof performance, 'eventLoopUtilization'> = performance,
): LoopReading {
  return { atMs: monotonicMs(), activeMs: of.eventLoopUtilization().active };
}
