import { monotonicMs, sleepUntil } from '../base/clock.js';

/**
 * How long before its instant a wait stops sleeping, ms. Node's timers know whole milliseconds and
 * are late by up to one, and on a busy processor a sleeper waits for its turn: who is awake does not.
 */
const AWAKE_MS = 2;

/**
 * Resolves at the instant `dueMs` of {@link monotonicMs} or as soon after as the machine allows, more
 * exactly than {@link sleepUntil}: the last moments are spent awake, turn by turn of the event loop, so
 * that answers are still read. It costs some 2 ms of a processor each time.
 */
export async function wakeAt(dueMs: number, signal: AbortSignal): Promise<void> {
  await sleepUntil(dueMs - AWAKE_MS, signal);
  await new Promise<void>((resolve) => {
    const turn = (): void => {
      if (signal.aborted || monotonicMs() >= dueMs) resolve();
      else setImmediate(turn);
    };
    turn();
  });
}
