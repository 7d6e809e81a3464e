import { monotonicMs } from '../base/clock.js';
import { isStopped } from './proc/process.js';

const LOOK_EVERY_MS = 200;

/**
 * How long a process may stand still until it is given up, ms. Whatever ends with it must be over
 * within five seconds.
 */
const GIVEN_UP_AFTER_MS = 3_000;

/** What people call a part, and the processes that it is made of; none while there are none. */
export interface Watched {
  name: string;
  pids: readonly number[];
}

/** Is told of processes that stand still, by the name of their part. */
export interface StopListener {
  /** It has stood still for three seconds, since `sinceMs` of the monotonic clock. Once a process. */
  onStopped(name: string, sinceMs: number): void;
  /** It stood still for a moment only, and goes on. */
  onResumed?(name: string, sinceMs: number, forMs: number): void;
}

/**
 * Watches for processes that are stopped by a signal (SIGSTOP). Nothing else tells: their sockets
 * stay open, the kernel accepts connections for them, and their last counters stay readable. It goes
 * by what the kernel says of them, not by a long silence, which an overloaded one has too.
 */
export class StopWatch {
  private readonly timer: NodeJS.Timeout;
  private readonly stopped = new Map<number, { name: string; sinceMs: number; looks: number }>();

  /** @param watched asked at every look, since processes come and go */
  constructor(
    private readonly watched: () => readonly Watched[],
    private readonly listener: StopListener,
  ) {
    this.timer = setInterval(() => this.look(), LOOK_EVERY_MS).unref();
  }

  end(): void {
    clearInterval(this.timer);
  }

  /** Gives up at once all that stand still now: there is no time left to wait for them. */
  giveUpStanding(): void {
    this.look();
    for (const { name, sinceMs } of this.stopped.values()) this.listener.onStopped(name, sinceMs);
  }

  private look(): void {
    const all = this.watched().flatMap(({ name, pids }) => pids.map((pid) => ({ name, pid })));
    const alive = new Set(all.map(({ pid }) => pid));
    for (const pid of this.stopped.keys()) if (!alive.has(pid)) this.stopped.delete(pid);
    for (const { name, pid } of all) {
      const seen = this.stopped.get(pid);
      if (!isStopped(pid)) {
        this.stopped.delete(pid);
        if (seen) this.listener.onResumed?.(name, seen.sinceMs, monotonicMs() - seen.sinceMs);
        continue;
      }
      const now = seen ?? { name, sinceMs: monotonicMs(), looks: 0 };
      this.stopped.set(pid, now);
      // Looks are counted, not the clock read: whoever looks may have stood still itself.
      if (++now.looks === 1 + GIVEN_UP_AFTER_MS / LOOK_EVERY_MS) {
        this.listener.onStopped(name, now.sinceMs);
      }
    }
  }
}
