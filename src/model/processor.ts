import { wholeNs } from './conduct.js';
import { TICK_MS } from './facts.js';

const TICK = wholeNs(TICK_MS);

/** What a machine can do, as measured; null where that is not known: then nothing is held up. */
export interface MachineLimits {
  /** Attempts per second that one agent makes at the most. */
  attemptsPerSecond: number | null;
  /** The same once half of the ports are held, where `connect()` searches long for a free one. */
  attemptsPerSecondPastHalf: number | null;
}

/** The time of a processor that makes attempts one after another. */
export class Processor {
  /** When what was taken so far is done, whole ns. */
  freeAt = 0;
  /** When more was first asked than a tick has time for, whole ns; null: never. */
  saturatedAt: number | null = null;

  /** @param perSecond attempts per second at this moment; null: any number */
  constructor(private readonly perSecond: () => number | null) {}

  take(attempts: number, now: number): void {
    const perSecond = this.perSecond();
    if (perSecond === null) return;
    this.freeAt = Math.max(this.freeAt, now) + Math.round((attempts * 1e9) / perSecond);
    if (this.freeAt - now > TICK) this.saturatedAt ??= now;
  }

  /** How many of the attempts taken are not made yet. */
  backlog(now: number): number {
    const perSecond = this.perSecond();
    if (perSecond === null) return 0;
    return Math.floor((Math.max(0, this.freeAt - now) * perSecond) / 1e9);
  }
}
