import { monotonicMs } from '../base/clock.js';
import type { Attempt, MmdsAddress } from './attempt.js';
import type { Counters } from './counters.js';
import type { Metadata } from './mmds-requests.js';
import type { PollModel, TickContext } from './poll-models.js';

/** What all pollers of an agent share. */
export interface PollerSettings {
  mmds: MmdsAddress;
  model: PollModel;
  /** Period of the ticker, ms; envd: 50 (internal/host/mmds.go). */
  tickMs: number;
  counters: Counters;
  /** Whether an empty store (`null`) ends the poll, as in envd, or is asked again. */
  acceptsEmptyStore: boolean;
  /** Stores what was found; when it throws, the poll throws. */
  store(metadata: Metadata): void;
}

/**
 * One MMDS polling task: asks at every tick until it is answered or its lifetime is over.
 *
 * The ticker is Go's (time.NewTicker): it keeps to its grid, and of the ticks that fall while a
 * request is in flight one is kept and fires at once afterwards; the others are dropped.
 */
export class Poller {
  /** Settles when the poller has ended; rejects when the poll threw. */
  readonly done: Promise<void>;
  private tick = 1;
  private deadlineAt: number;
  private deadlineTimer: NodeJS.Timeout | undefined;
  private tickTimer: NodeJS.Timeout | undefined;
  private attempt: Attempt | undefined;
  private ended = false;
  private again = false;
  private attempts = 0;
  private readonly context: TickContext;
  private settle!: { resolve(): void; reject(reason: unknown): void };

  /**
   * @param lifetimeMs how long it lives; envd: 60,000 (internal/api/init.go), Infinity for the boot
   * poller (main.go)
   * @param startedAt when its clock began, on {@link monotonicMs}
   */
  constructor(
    private readonly settings: PollerSettings,
    private readonly lifetimeMs: number,
    private readonly startedAt = monotonicMs(),
  ) {
    const { counters } = settings;
    this.done = new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
    });
    this.context = {
      mmds: settings.mmds,
      counters,
      ended: () => this.ended,
      started: (attempt) => this.onAttempt(attempt),
    };
    counters.pollersSpawned++;
    counters.pollersRunning++;
    counters.pollersPeak = Math.max(counters.pollersPeak, counters.pollersRunning);
    this.deadlineAt = this.startedAt + lifetimeMs;
    this.armDeadline();
    this.armTick();
  }

  /** Gives the poller a new lifetime from now, and makes it poll once more after the next success. */
  renew(): void {
    if (this.ended) return;
    this.deadlineAt = monotonicMs() + this.lifetimeMs;
    this.again = true;
    clearTimeout(this.deadlineTimer);
    this.armDeadline();
  }

  /** Ends the poller, as when its context is cancelled. */
  cancel(): void {
    if (!this.ended) this.end();
  }

  private armDeadline(): void {
    if (!Number.isFinite(this.deadlineAt)) return;
    const left = this.deadlineAt - monotonicMs();
    if (left <= 0) {
      this.settings.counters.pollersExpired++;
      this.end();
      return;
    }
    this.deadlineTimer = setTimeout(() => this.armDeadline(), Math.ceil(left));
  }

  private armTick(): void {
    this.tickTimer = setTimeout(() => this.onTick(), this.dueAt() - monotonicMs());
  }

  private dueAt(): number {
    return this.startedAt + this.tick * this.settings.tickMs;
  }

  private onTick(): void {
    if (this.ended) return;
    if (Math.max(this.dueAt(), monotonicMs()) >= this.deadlineAt) {
      // A tick that is due together with the deadline is lost to it, even when its timer is early.
      // The next one is for a poller that is renewed in between.
      this.tick++;
      this.armTick();
      return;
    }
    this.settings.counters.ticks++;
    this.settings.model(this.context, (metadata) => this.onTickDone(metadata));
  }

  private onAttempt(attempt: Attempt): void {
    const { counters } = this.settings;
    this.attempts++;
    counters.attemptsPerPollerMax = Math.max(counters.attemptsPerPollerMax, this.attempts);
    this.attempt = attempt;
  }

  private onTickDone(metadata: Metadata | undefined): void {
    this.attempt = undefined;
    if (this.ended) return;
    const isEmpty = metadata?.sandboxId === '' && metadata.templateId === '';
    if (metadata && (this.settings.acceptsEmptyStore || !isEmpty)) {
      try {
        this.settings.store(metadata);
      } catch (thrown) {
        this.end(thrown);
        return;
      }
      if (!this.again) {
        this.settings.counters.pollersFinished++;
        this.end();
        return;
      }
      this.again = false;
    }
    this.nextTick();
  }

  private nextTick(): void {
    const { tickMs, counters } = this.settings;
    // The last grid point that has passed: it fires at once, those between it and ours are gone.
    const passed = Math.floor((monotonicMs() - this.startedAt) / tickMs);
    this.tick++;
    if (passed > this.tick) {
      counters.ticksDropped += passed - this.tick;
      this.tick = passed;
    }
    this.armTick();
  }

  private end(reason?: unknown): void {
    this.ended = true;
    this.settings.counters.pollersRunning--;
    clearTimeout(this.deadlineTimer);
    clearTimeout(this.tickTimer);
    this.attempt?.cancel();
    if (reason === undefined) this.settle.resolve();
    else this.settle.reject(reason);
  }
}
