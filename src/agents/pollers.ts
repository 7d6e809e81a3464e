import { monotonicMs } from '../base/clock.js';
import type { Counters } from './counters.js';
import type { SpawnedPoller } from './guards/guard.js';
import { Poller, type PollerSettings } from './poller.js';

/** Starts pollers, wherever they run, and counts what they do. */
export interface Pollers {
  /** What all of them have done up to now; pollersPeak is that of all together. */
  readonly counters: Readonly<Counters>;
  /** @param lifetimeMs its own lifetime; Infinity for the boot poller (envd main.go) */
  spawn(lifetimeMs: number): SpawnedPoller;
  /** Cancels them all. @returns settles when every attempt they made has its outcome */
  stop(): Promise<void>;
}

/** The pollers of one thread: that in which it is made. */
export class ThreadPollers implements Pollers {
  private readonly running = new Set<Poller>();

  constructor(private readonly settings: PollerSettings) {}

  get counters(): Counters {
    return this.settings.counters;
  }

  /** @param startedAt when its clock began, on {@link monotonicMs} */
  spawn(lifetimeMs: number, startedAt = monotonicMs()): Poller {
    const poller = new Poller(this.settings, lifetimeMs, startedAt);
    this.running.add(poller);
    const forget = (): void => {
      this.running.delete(poller);
    };
    poller.done.then(forget, forget);
    return poller;
  }

  async stop(): Promise<void> {
    for (const poller of this.running) poller.cancel();
    // Cancelled attempts are counted when their sockets have closed, one turn of the loop later.
    for (let turns = 0; turns < 2; turns++) {
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }
}
