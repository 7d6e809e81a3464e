import { monotonicMs } from '../base/clock.js';
import { messageOf } from '../base/errors.js';
import { type Close, Connections, type Counters } from './connections.js';
import { Door, type Network } from './door.js';
import { EventLog, type MmdsEvent } from './event-log.js';
import { HEALTHY, type Phase } from './fault.js';
import { type FaultSpec, phasesOf } from './fault-spec.js';
import { Firecracker, type MmdsVersion } from './firecracker.js';

/** What a metadata service is started with. */
export interface MmdsConfig {
  /** An IPv4 address of this machine or namespace. */
  readonly address: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly network: Network;
  /** JSON; null is the store before any data was put. */
  readonly metadata: unknown;
  readonly version: MmdsVersion;
  readonly close: Close;
  /** The fault at the start. */
  readonly fault: FaultSpec;
}

/** What may be left out or replaced, mostly for tests. */
export interface MmdsOptions {
  /** Told in one line when a fault that changes by itself could not go on. */
  readonly onTrouble?: (message: string) => void;
  /** A monotonic clock, in ms. */
  readonly now?: () => number;
  /** See EVICT_AFTER_MS. */
  readonly evictAfterMs?: number;
}

/**
 * Starts a metadata service; it is reachable, or not, as its fault says when this resolves.
 * @throws UsageError on an unknown fault, one that this network cannot have, or bad metadata
 * @throws Error when the address cannot be listened on
 */
export async function startMmds(config: MmdsConfig, options: MmdsOptions = {}): Promise<Mmds> {
  const mmds = new Mmds(config, options);
  await mmds.begin(config.fault);
  return mmds;
}

/** A running metadata service, made by {@link startMmds}. */
export class Mmds {
  readonly #network: Network;
  readonly #firecracker: Firecracker;
  readonly #connections: Connections;
  readonly #door: Door;
  readonly #onTrouble: (message: string) => void;
  /** Changes come one after the other. */
  #changes: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  /** Counts the faults; a phase of an older one is void. */
  #generation = 0;

  constructor(config: MmdsConfig, options: MmdsOptions) {
    const now = options.now ?? monotonicMs;
    this.#network = config.network;
    this.#onTrouble = options.onTrouble ?? (() => {});
    this.#firecracker = new Firecracker(config.version, config.metadata, now);
    this.#connections = new Connections(
      HEALTHY,
      this.#firecracker,
      config.close,
      now,
      options.evictAfterMs,
    );
    this.#door = new Door(
      config.address,
      config.port,
      config.network,
      (socket) => this.#connections.accept(socket),
      this.#onTrouble,
    );
  }

  get address(): string {
    return this.#door.address;
  }

  /** The port, known and kept even while nothing listens. */
  get port(): number {
    return this.#door.port;
  }

  get counters(): Readonly<Counters> {
    return { ...this.#connections.counters };
  }

  /** For {@link startMmds}. */
  async begin(fault: FaultSpec): Promise<void> {
    const phases = phasesOf(fault, this.#network.kind);
    const first = phases[0]?.conduct ?? HEALTHY;
    this.#connections.follow(first);
    await this.#door.begin();
    try {
      await this.#play(phases);
    } catch (thrown) {
      await this.stop();
      throw thrown;
    }
  }

  /**
   * Lifts the present fault and applies another; resolves when it holds.
   * @throws UsageError as {@link startMmds}; the present fault then stays
   */
  async setFault(fault: FaultSpec): Promise<void> {
    await this.#play(phasesOf(fault, this.#network.kind));
  }

  /** Replaces the metadata. @throws UsageError when Firecracker's store cannot hold it */
  setMetadata(metadata: unknown): void {
    this.#firecracker.put(metadata);
  }

  /** Hands on everything that is seen and answered from now on; undefined ends that. */
  watch(onEvents: ((events: MmdsEvent[]) => void) | undefined): void {
    this.#connections.log?.end();
    this.#connections.log = onEvents && new EventLog(onEvents);
  }

  /** Hands on now what a watcher has not been told yet. */
  flush(): void {
    this.#connections.log?.flush();
  }

  /** Stops at once: no listener, connection, timer or missing address is left. */
  async stop(): Promise<void> {
    this.#generation++;
    clearTimeout(this.#timer);
    await this.#inTurn(async () => {
      clearTimeout(this.#timer);
      await this.#door.end();
      this.#connections.resetAll();
      this.watch(undefined);
    });
  }

  async #play(phases: readonly Phase[]): Promise<void> {
    this.#generation++;
    clearTimeout(this.#timer);
    await this.#enter(phases, 0, monotonicMs(), this.#generation);
  }

  /** Enters a phase and, where it ends by itself, sets the timer for the next. */
  async #enter(
    phases: readonly Phase[],
    index: number,
    beganAt: number,
    generation: number,
  ): Promise<void> {
    const phase = phases[index];
    if (!phase) return;
    await this.#inTurn(async () => {
      if (generation !== this.#generation) return;
      // In this order no request is answered in the manner of the phase that is over.
      this.#connections.follow(phase.conduct);
      await this.#door.go(phase.conduct.reach);
      if (generation !== this.#generation || !Number.isFinite(phase.forMs)) return;
      // Reckoned from the intended moment, so that phases do not drift.
      const endsAt = beganAt + phase.forMs;
      this.#timer = setTimeout(
        () => {
          const next = (index + 1) % phases.length;
          this.#enter(phases, next, endsAt, generation).catch((thrown) =>
            this.#onTrouble(`MMDS: the fault does not go on: ${messageOf(thrown)}`),
          );
        },
        Math.max(0, endsAt - monotonicMs()),
      );
    });
  }

  #inTurn(change: () => Promise<void>): Promise<void> {
    const done = this.#changes.then(change);
    this.#changes = done.catch(() => {});
    return done;
  }
}
