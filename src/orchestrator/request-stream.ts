import { Pool } from 'undici';
import { monotonicMs } from '../base/clock.js';
import { LatencyRecorder } from '../results/latency.js';
import type { CountedRequests } from '../results/schema.js';

/** One request as it is sent again and again. */
export interface RequestShape {
  method: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  /** Makes the body of the next request. */
  body?(): string;
}

/**
 * What became of a request. It is answered once the head of an answer is there, of whatever status and
 * whatever becomes of the body: the orchestrator's client returns there too.
 */
export type Outcome = 'answered' | 'timedOut' | 'failed';

/** How long the uncounted first request may take, ms: a fresh agent's first answer is slow. */
const WARM_UP_MS = 10_000;

/** Which header of an answer is of interest, and what is done with it. */
export type HeaderSeen = (headers: Record<string, string | string[] | undefined>) => void;

/**
 * Requests of one kind to one server, each on a connection of its own unless one is idle, and what
 * became of them: `sent` = `answered` + `timedOut` + `failed` once all have {@link settled}.
 */
export class RequestStream {
  private readonly pool: Pool;
  private readonly latency = new LatencyRecorder();
  private readonly slip = new LatencyRecorder();
  private readonly outstanding = new Set<Promise<Outcome>>();
  private readonly statuses: Record<string, number> = {};
  private longestMs: number | null = null;
  private readonly counts = { sent: 0, answered: 0, timedOut: 0, failed: 0 };
  private readonly timeoutMs: number;

  /** @param timeoutMs how long a request may take; Node's timers know whole ms, so it is rounded up */
  constructor(
    origin: string,
    private readonly shape: RequestShape,
    timeoutMs: number,
    private readonly onHeaders?: HeaderSeen,
  ) {
    this.timeoutMs = Math.ceil(timeoutMs);
    // undici's own timeouts go in half-second steps and are switched off: every request has an
    // AbortSignal of its own. As many connections as there are requests under way.
    this.pool = new Pool(origin, {
      connections: null,
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: 0 },
      keepAliveTimeout: 600_000,
    });
  }

  /** Opens a connection and asks once, uncounted: what comes later pays for no first time. */
  async warmUp(): Promise<void> {
    const signal = AbortSignal.timeout(WARM_UP_MS);
    const response = await this.pool.request({ method: 'GET', path: '/health', signal });
    await response.body.dump();
  }

  /**
   * Sends one request.
   * @param intendedMs when it was due, on {@link monotonicMs}: latency counts from there
   */
  send(intendedMs: number): Promise<Outcome> {
    this.counts.sent++;
    this.slip.record(Math.max(0, monotonicMs() - intendedMs));
    const request = this.request(intendedMs).then((outcome) => {
      this.counts[outcome]++;
      this.outstanding.delete(request);
      return outcome;
    });
    this.outstanding.add(request);
    return request;
  }

  /** Waits until nothing is under way; every request ends within its timeout. */
  async settled(): Promise<void> {
    while (this.outstanding.size > 0) await Promise.all(this.outstanding);
  }

  /** Gives up what is under way (it counts as failed) and closes all connections. */
  async close(): Promise<void> {
    await this.pool.destroy();
    await this.settled();
  }

  /** The longest answer since the last call, ms; null when none arrived. */
  takeLongest(): number | null {
    const longest = this.longestMs;
    this.longestMs = null;
    return longest;
  }

  /** What became of the requests. */
  summary(): CountedRequests {
    const latency = this.latency.summary();
    const slip = this.slip.summary();
    return {
      ...this.counts,
      statuses: { ...this.statuses },
      latencyMs: { p50: latency.p50, p99: latency.p99, max: latency.max },
      slipMs: { p50: slip.p50, p99: slip.p99, max: slip.max },
      histogram: this.latency.encode(),
      slipHistogram: this.slip.encode(),
    };
  }

  private async request(intendedMs: number): Promise<Outcome> {
    const { method, path, headers, body } = this.shape;
    const signal = AbortSignal.timeout(this.timeoutMs);
    try {
      const response = await this.pool.request({
        method,
        path,
        signal,
        ...(headers && { headers }),
        ...(body && { body: body() }),
      });
      // Answered with the head, as for Go's client.Do: a body that never comes is another matter.
      const latencyMs = Math.max(0, monotonicMs() - intendedMs);
      this.latency.record(latencyMs);
      this.longestMs = Math.max(this.longestMs ?? 0, latencyMs);
      this.statuses[response.statusCode] = (this.statuses[response.statusCode] ?? 0) + 1;
      this.onHeaders?.(response.headers);
      await response.body.dump().catch(() => {});
      return 'answered';
    } catch {
      return signal.aborted ? 'timedOut' : 'failed';
    }
  }
}
