import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { monotonicMs } from '../base/clock.js';
import { type Deferred, deferred } from '../base/deferred.js';
import { type LoopReading, loopReading } from '../base/event-loop.js';
import type { Counters } from './counters.js';
import type { SpawnedPoller } from './guards/guard.js';
import type { Metadata } from './mmds-requests.js';
import type {
  PollerCommand,
  PollerMessage,
  PollerThreadData,
  PollerThreadSettings,
} from './poller-worker.js';
import type { Pollers } from './pollers.js';
import { counterMemory, sharedCounters, sumCounters } from './shared-counters.js';

/** Go runs goroutines on as many threads as there are processors; each of ours is an isolate of some 10 MiB. */
const MOST_THREADS = 8;

/** A poller as this side knows it. */
interface Remote {
  readonly id: number;
  readonly lifetimeMs: number;
  readonly end: Deferred<void>;
  /** How often it was renewed since it was last spawned. */
  renewals: number;
}

/**
 * Pollers in threads of their own, as many as there are processors, dealt out in turn. envd's
 * pollers are goroutines: they use every processor, and keep no `/init` from being answered.
 */
export class PollerThreads implements Pollers {
  private spawned = 0;
  private peak = 0;

  private constructor(private readonly threads: readonly PollerThread[]) {}

  /** @param onStored is told what a poller found, before the poller ends. */
  static async start(
    settings: PollerThreadSettings,
    onStored: (metadata: Metadata) => void,
  ): Promise<PollerThreads> {
    const count = Math.min(MOST_THREADS, availableParallelism());
    const respawn = (remote: Remote): void => pollers.begin(remote);
    const threads = Array.from(
      { length: count },
      () => new PollerThread(settings, onStored, respawn),
    );
    const pollers = new PollerThreads(threads);
    await Promise.all(threads.map(({ ready }) => ready));
    return pollers;
  }

  /** A poller counts as running from its spawn on, though its thread has yet to hear of it. */
  get counters(): Counters {
    const sum = sumCounters(
      this.threads.map(({ counters }) => counters),
      this.peak,
    );
    return { ...sum, pollersSpawned: this.spawned, pollersRunning: this.running() };
  }

  spawn(lifetimeMs: number): SpawnedPoller {
    const remote: Remote = { id: this.spawned, lifetimeMs, end: deferred(), renewals: 0 };
    this.begin(remote);
    return {
      done: remote.end.promise,
      renew: () => this.threadOf(remote).renew(remote),
    };
  }

  /** How busy each thread's event loop was so far. */
  get loops(): LoopReading[] {
    return this.threads.map(({ loop }) => loop);
  }

  /** Ends the threads too: nothing can be spawned any more. */
  async stop(): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread.stop()));
  }

  private begin(remote: Remote): void {
    this.spawned++;
    this.peak = Math.max(this.peak, this.running());
    this.threadOf(remote).spawn(remote);
  }

  private running(): number {
    const ended = this.threads.map(
      ({ counters }) => counters.pollersSpawned - counters.pollersRunning,
    );
    return this.spawned - ended.reduce((sum, one) => sum + one, 0);
  }

  private threadOf({ id }: Remote): PollerThread {
    const thread = this.threads[id % this.threads.length];
    if (!thread) throw new Error('there is no thread');
    return thread;
  }
}

/** One thread, and the pollers that it was given. */
class PollerThread {
  readonly counters: Readonly<Counters>;
  readonly ready: Promise<void>;
  private readonly worker: Worker;
  private readonly remotes = new Map<number, Remote>();
  private isStopping = false;
  private readonly isReady = deferred<void>();
  private readonly isStopped = deferred<void>();

  constructor(
    settings: PollerThreadSettings,
    private readonly onStored: (metadata: Metadata) => void,
    private readonly respawn: (remote: Remote) => void,
  ) {
    const memory = counterMemory();
    this.counters = sharedCounters(memory);
    const workerData: PollerThreadData = { ...settings, counters: memory };
    this.worker = new Worker(new URL('./poller-worker.js', import.meta.url), { workerData });
    this.worker.on('message', (message: PollerMessage) => this.hear(message));
    // Without its pollers the agent measures nothing: it ends, as by any fault of its own.
    this.worker.on('error', (thrown) => {
      throw thrown;
    });
    this.ready = this.isReady.promise;
  }

  get loop(): LoopReading {
    return loopReading(this.worker.performance);
  }

  spawn(remote: Remote): void {
    this.remotes.set(remote.id, remote);
    const { id, lifetimeMs } = remote;
    this.command({ type: 'spawn', id, lifetimeMs, startedAtMs: monotonicMs() });
  }

  renew(remote: Remote): void {
    remote.renewals++;
    this.command({ type: 'renew', id: remote.id });
  }

  /** Settles when its pollers have ended and every attempt has its outcome. */
  stop(): Promise<void> {
    this.isStopping = true;
    this.command({ type: 'stop' });
    return this.isStopped.promise;
  }

  private hear(message: PollerMessage): void {
    if (message.type === 'ready') this.isReady.resolve();
    else if (message.type === 'stopped') this.isStopped.resolve();
    else if (message.type === 'stored') this.onStored(message.metadata);
    else this.onEnded(message);
  }

  private onEnded({ id, renewals, error }: PollerMessage & { type: 'ended' }): void {
    const remote = this.remotes.get(id);
    if (!remote) return;
    this.remotes.delete(id);
    if (renewals < remote.renewals && !this.isStopping) {
      // It ended before it heard of the last renewal: to whoever renewed it, it had ended already.
      remote.renewals = 0;
      this.respawn(remote);
    } else if (error === null) remote.end.resolve();
    else remote.end.reject(new Error(error));
  }

  private command(command: PollerCommand): void {
    this.worker.postMessage(command);
  }
}
