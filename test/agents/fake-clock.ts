import type { TestContext } from 'node:test';

interface Timer {
  id: number;
  at: number;
  run(): void;
}

/**
 * A clock that stands still until it is told to go on, in place of the monotonic clock and of
 * setTimeout: what depends on time can be said exactly.
 */
export class FakeClock {
  now: number;
  private timers: Timer[] = [];
  private made = 0;

  /**
   * @param startMs what it shows at first
   * @param timing exact: timers fire when they are due; node: as Node's, which drop the fraction of a
   * millisecond and know none shorter than one
   */
  constructor(t: TestContext, startMs = 1_000, timing: 'exact' | 'node' = 'exact') {
    this.now = startMs;
    t.mock.method(process, 'hrtime', () => [0, this.now * 1e6]);
    t.mock.method(globalThis, 'setTimeout', (run: () => void, ms: number) => {
      const delay = timing === 'exact' ? Math.max(0, ms) : Math.max(1, Math.trunc(ms));
      const id = ++this.made;
      this.timers.push({ id, at: this.now + delay, run });
      return id;
    });
    t.mock.method(globalThis, 'clearTimeout', (id: number) => {
      this.timers = this.timers.filter((timer) => timer.id !== id);
    });
  }

  /** How many timers wait. */
  get waiting(): number {
    return this.timers.length;
  }

  /** Goes on to an instant and fires what is due on the way, in its order. */
  goTo(ms: number): void {
    for (;;) {
      const [next] = this.timers.toSorted((a, b) => a.at - b.at || a.id - b.id);
      if (!next || next.at > ms) break;
      this.timers = this.timers.filter((timer) => timer !== next);
      this.now = Math.max(this.now, next.at);
      next.run();
    }
    this.now = Math.max(this.now, ms);
  }

  /** Jumps to an instant without firing anything, as when the event loop stands still. */
  stallTo(ms: number): void {
    this.now = ms;
  }
}
