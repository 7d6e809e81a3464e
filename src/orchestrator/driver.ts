import { monotonicMs, sleepUntil } from '../base/clock.js';
import type { CountedRequests } from '../results/schema.js';
import { wakeAt } from './punctual.js';
import { type Outcome, RequestStream } from './request-stream.js';
import type { RetryPolicy, RetryTimes } from './retry/policy.js';

export interface DriverSettings {
  /** The agent's API, e.g. `http://169.254.0.21:49983`. */
  origin: string;
  policy: RetryPolicy;
  times: RetryTimes;
  initTimeoutMs: number;
  /** Time between two `/health` probes, and how long one may take, ms. */
  healthEveryMs: number;
  healthTimeoutMs: number;
  accessToken: string;
}

/** What the driver knows at the end. */
export interface DriverReport {
  init: CountedRequests;
  health: CountedRequests;
  /** `X-Envd-Version` of the last `/init` answered; null if never seen. */
  version: string | null;
}

/** The longest answers since the last look, ms; null when none arrived. */
export interface RecentLatency {
  initLatencyMs: number | null;
  healthLatencyMs: number | null;
}

/** Plays the orchestrator: drives `/init` by its retry policy, and probes `/health` through it all. */
export class Driver {
  private readonly init: RequestStream;
  private readonly health: RequestStream;
  private readonly stopping = new AbortController();
  private version: string | null = null;

  constructor(private readonly settings: DriverSettings) {
    const { origin, initTimeoutMs, healthTimeoutMs, accessToken } = settings;
    this.init = new RequestStream(
      origin,
      {
        method: 'POST',
        path: '/init',
        headers: { 'content-type': 'application/json', 'x-access-token': accessToken },
        body: () => initBody(accessToken),
      },
      initTimeoutMs,
      (headers) => this.seeVersion(headers['x-envd-version']),
    );
    this.health = new RequestStream(origin, { method: 'GET', path: '/health' }, healthTimeoutMs);
  }

  /** Gets ready to be punctual. @throws what undici throws when the agent does not answer */
  async warmUp(): Promise<void> {
    await Promise.all([this.init.warmUp(), this.health.warmUp()]);
  }

  /**
   * Drives the whole outage.
   * @param startMs when the first `/init` is due, on {@link monotonicMs}
   * @returns once nothing more is sent and all that was sent has been answered or given up
   */
  async run(startMs: number): Promise<DriverReport> {
    const { signal } = this.stopping;
    const endMs = startMs + this.settings.times.outageMs;
    await Promise.all([this.driveInit(startMs), this.probeHealth(startMs, endMs)]);
    await sleepUntil(endMs, signal);
    await Promise.all([this.init.settled(), this.health.settled()]);
    return this.report();
  }

  /** Sends nothing more. */
  stop(): void {
    this.stopping.abort();
  }

  /** The longest answers since the last call. */
  takeLatency(): RecentLatency {
    return {
      initLatencyMs: this.init.takeLongest(),
      healthLatencyMs: this.health.takeLongest(),
    };
  }

  /** What is known so far. */
  report(): DriverReport {
    return {
      init: this.init.summary(),
      health: this.health.summary(),
      version: this.version,
    };
  }

  /** Closes all connections; what is under way counts as failed. */
  async close(): Promise<void> {
    this.stop();
    await Promise.all([this.init.close(), this.health.close()]);
  }

  private async driveInit(startMs: number): Promise<void> {
    const { policy, times } = this.settings;
    const { signal } = this.stopping;
    let last: { outcome: Outcome } | undefined;
    for (let sent = 0; !signal.aborted; sent++) {
      const elapsedMs = Math.max(0, monotonicMs() - startMs);
      const dueMs = policy.next({ sent, elapsedMs, ...(last && { last }) }, times);
      if (dueMs === null) return;
      await wakeAt(startMs + dueMs, signal);
      if (signal.aborted) return;
      const request = this.init.send(startMs + dueMs);
      if (policy.loop === 'closed') last = { outcome: await request };
    }
  }

  private async probeHealth(startMs: number, endMs: number): Promise<void> {
    const { signal } = this.stopping;
    const { healthEveryMs } = this.settings;
    // Half a period late, so that no probe waits behind an /init that was sent with it.
    for (let dueMs = startMs + healthEveryMs / 2; dueMs < endMs; dueMs += healthEveryMs) {
      await wakeAt(dueMs, signal);
      if (signal.aborted) return;
      void this.health.send(dueMs);
    }
  }

  private seeVersion(header: string | string[] | undefined): void {
    if (typeof header === 'string') this.version = header.slice(0, 256);
  }
}

/** The body that the orchestrator sends (packages/orchestrator/pkg/sandbox/envd.go). */
function initBody(accessToken: string): string {
  return JSON.stringify({
    accessToken,
    envVars: {},
    timestamp: new Date().toISOString(),
    defaultUser: 'user',
    lifecycleID: 'envd-bench',
  });
}
