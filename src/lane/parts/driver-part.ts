import { Worker } from 'node:worker_threads';
import { codeOf } from '../../base/errors.js';
import { LoopMeter } from '../../observe/loop-meter.js';
import type { DriverReport, RecentLatency } from '../../orchestrator/driver.js';
import type { DriverCommand, DriverMessage, DriverThreadData } from '../../orchestrator/worker.js';

/** The driver in its own thread. */
export class DriverPart {
  private readonly worker: Worker;
  /** Settles when the driver can be punctual. */
  readonly ready: Promise<void>;
  /** Settles with the report once all that was sent has been answered or given up. */
  readonly finished: Promise<DriverReport>;
  private readonly closed: Promise<DriverReport>;
  readonly loop = new LoopMeter();
  private latency: RecentLatency = { initLatencyMs: null, healthLatencyMs: null };
  private isClosing = false;

  /** @param onDeath is told in words that follow its name, when it ends unasked */
  constructor(data: DriverThreadData, onDeath: (how: string) => void) {
    this.worker = new Worker(new URL('../../orchestrator/worker.js', import.meta.url), {
      workerData: data,
    });
    this.worker.on('message', (message: DriverMessage) => {
      if (message.type !== 'recent') return;
      this.merge(message.latency);
      this.loop.push(message.loop);
    });
    this.worker.once('error', (thrown) => onDeath(`failed (${wordsOf(thrown)})`));
    this.worker.once('exit', (code) => this.isClosing || onDeath(`ended with ${code}`));
    this.ready = this.message('ready').then(() => {});
    this.finished = this.report('report');
    this.closed = this.report('closed');
    // Each is awaited only in its turn; a failure before that is no unhandled one.
    this.ready.catch(() => {});
    this.finished.catch(() => {});
    this.closed.catch(() => {});
  }

  /** Starts driving; the first `/init` is due at `startMs` of the monotonic clock. */
  run(startMs: number): void {
    this.command({ type: 'run', startMs });
  }

  /** The longest answers since the last call. */
  takeLatency(): RecentLatency {
    const { latency } = this;
    this.latency = { initLatencyMs: null, healthLatencyMs: null };
    return latency;
  }

  /** Sends nothing more. */
  stop(): void {
    this.command({ type: 'stop' });
  }

  /** Closes all connections, and the thread. */
  async close(): Promise<DriverReport> {
    this.isClosing = true;
    this.command({ type: 'close' });
    return this.closed;
  }

  private command(command: DriverCommand): void {
    this.worker.postMessage(command);
  }

  private async report(type: 'report' | 'closed'): Promise<DriverReport> {
    const message = await this.message(type);
    if (!('report' in message)) throw new Error('a report was expected');
    return message.report;
  }

  /** Two tellings may fall between two samples. */
  private merge(latency: RecentLatency): void {
    for (const name of ['initLatencyMs', 'healthLatencyMs'] as const) {
      const value = latency[name];
      if (value !== null) this.latency[name] = Math.max(this.latency[name] ?? 0, value);
    }
  }

  private message(type: DriverMessage['type']): Promise<DriverMessage> {
    return new Promise((resolve, reject) => {
      this.worker.on('message', (message: DriverMessage) => {
        if (message.type === type) resolve(message);
      });
      this.worker.once('error', reject);
      this.worker.once('exit', () => reject(new Error('the driver ended early')));
    });
  }
}

/** Of an error that crossed from another thread, where it may have lost its class. */
function wordsOf(thrown: unknown): string {
  const { message } = thrown as { message?: unknown };
  return typeof message === 'string' ? message : (codeOf(thrown) ?? 'an error without words');
}
