import { uptime } from 'node:os';

/**
 * Milliseconds of the machine's monotonic clock (CLOCK_MONOTONIC), with a fraction. All processes and
 * threads of a run share it, and no step of the wall clock moves it.
 */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

/**
 * For how long this machine has slept since it was started, ms: a suspended machine's monotonic clock
 * stands still, its boot time (CLOCK_BOOTTIME) goes on. To be compared with itself.
 */
export function sleptMs(): number {
  return uptime() * 1e3 - monotonicMs();
}

/** Resolves at the instant `dueMs` of {@link monotonicMs}, or as soon after as the machine allows. */
export async function sleepUntil(dueMs: number, signal?: AbortSignal): Promise<void> {
  // Who is late in a loop would else keep answers, timeouts and a stop waiting until it is not.
  if (dueMs <= monotonicMs()) await new Promise<void>((resolve) => setImmediate(resolve));
  for (;;) {
    const left = dueMs - monotonicMs();
    if (left <= 0 || signal?.aborted) return;
    await new Promise<void>((resolve) => {
      // Rounding up costs up to a millisecond; rounding down would wake early and turn once more.
      const timer = setTimeout(finish, Math.ceil(left));
      function finish(): void {
        clearTimeout(timer);
        signal?.removeEventListener('abort', finish);
        resolve();
      }
      signal?.addEventListener('abort', finish, { once: true });
    });
  }
}
