import { wholeNs } from './conduct.js';
import { TIME_WAIT_MS } from './facts.js';

const TIME_WAIT_NS = wholeNs(TIME_WAIT_MS);

/** The guest's limits. */
export interface GuestLimits {
  /** Ephemeral ports. */
  ports: number;
  /** `tcp_max_tw_buckets`; Infinity where none is set. */
  timeWait: number;
}

/**
 * The ephemeral ports of a guest towards MMDS: held by attempts that wait, and for 60 s by every
 * connection that the guest closed first, unless the table of TIME_WAIT is full.
 */
export class Ports {
  peak = 0;
  timeWaitPeak = 0;
  /** Connections that found the table of TIME_WAIT full, and left none. */
  overflow = 0;
  /** When things first happened, whole ns; null: never. */
  exhaustedAt: number | null = null;
  halfAt: number | null = null;
  timeWaitFullAt: number | null = null;
  #waiting = 0;
  #timeWait = 0;
  /** When so many leave TIME_WAIT, in order. */
  #leaving: { at: number; count: number }[] = [];
  #from = 0;

  constructor(private readonly limits: GuestLimits) {}

  /** Ports held by attempts that wait for something. */
  get waiting(): number {
    return this.#waiting;
  }

  timeWait(now: number): number {
    for (;;) {
      const first = this.#leaving[this.#from];
      if (!first || first.at > now) break;
      this.#timeWait -= first.count;
      this.#from++;
    }
    if (this.#from > 1024 && this.#from * 2 > this.#leaving.length) {
      this.#leaving = this.#leaving.slice(this.#from);
      this.#from = 0;
    }
    return this.#timeWait;
  }

  held(now: number): number {
    return this.#waiting + this.timeWait(now);
  }

  /** How many of `count` attempts find a port; the others die of EADDRNOTAVAIL. */
  find(count: number, now: number): number {
    const free = this.limits.ports - this.held(now);
    if (free < count) this.exhaustedAt ??= now;
    return Math.min(count, free);
  }

  /** So many attempts keep their ports until {@link release}. */
  hold(count: number, now: number): void {
    this.#waiting += count;
    this.#note(now);
  }

  release(count: number): void {
    this.#waiting -= count;
  }

  /** So many connections were closed by the guest first. */
  enterTimeWait(count: number, now: number): void {
    const kept = Math.min(count, this.limits.timeWait - this.timeWait(now));
    this.overflow += count - kept;
    if (kept > 0) {
      this.#timeWait += kept;
      this.#leaving.push({ at: now + TIME_WAIT_NS, count: kept });
    }
    if (this.#timeWait >= this.limits.timeWait) this.timeWaitFullAt ??= now;
    this.#note(now);
  }

  #note(now: number): void {
    const held = this.held(now);
    this.peak = Math.max(this.peak, held);
    this.timeWaitPeak = Math.max(this.timeWaitPeak, this.#timeWait);
    if (held * 2 >= this.limits.ports) this.halfAt ??= now;
    if (held >= this.limits.ports) this.exhaustedAt ??= now;
  }
}
