import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for a condition, not for a time; fails after 20 s. */
export async function until(what: string, condition: () => boolean): Promise<void> {
  const endsAt = performance.now() + 20_000;
  while (!condition()) {
    if (performance.now() > endsAt) throw new Error(`waited in vain: ${what}`);
    await sleep(2);
  }
}
