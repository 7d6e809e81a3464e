import { connect } from 'node:net';
import { Pool } from 'undici';
import { monotonicMs } from '../base/clock.js';
import { codeOf, messageOf } from '../base/errors.js';
import { assertMayReach } from '../base/interlock.js';
import { cleanText } from '../base/text.js';
import { ACCESS_TOKEN } from '../lane/agent-command.js';
import type { Address } from '../lane/network/network.js';

/** How long an answer may take: longer than envd may ask MMDS for a token hash in vain (2 × 10 s). */
const WITHIN_MS = 25_000;

/** The most that is read of an answer, bytes. */
const LONGEST = 1 << 20;

/** What came of one request. */
export interface ApiAnswer {
  sentMs: number;
  /** When the head of the answer was there, or the request was given up; on the monotonic clock. */
  endedMs: number;
  /** Null when there was no answer. */
  status: number | null;
  /** `X-Envd-Version`; null when the answer has none. */
  version: string | null;
  /** Why there is no answer. */
  error: string | null;
}

/** An agent's HTTP API, one request at a time or many at once, as the orchestrator calls it. */
export class AgentApi {
  private readonly pool: Pool;

  constructor(private readonly agent: Address) {
    assertMayReach(agent.host);
    this.pool = new Pool(`http://${agent.host}:${agent.port}`, {
      connections: null,
      pipelining: 1,
      maxResponseSize: LONGEST,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** `POST /init` with these fields beside the access token, or with a body as it is. */
  init(body: Record<string, unknown> | string = {}): Promise<ApiAnswer> {
    return this.request(
      'POST',
      '/init',
      typeof body === 'string' ? body : JSON.stringify({ accessToken: ACCESS_TOKEN, ...body }),
    );
  }

  health(): Promise<ApiAnswer> {
    return this.request('GET', '/health');
  }

  /** The agent's environment; undefined when it is not told. */
  async envs(): Promise<Record<string, unknown> | undefined> {
    try {
      const { statusCode, body } = await this.pool.request({
        method: 'GET',
        path: '/envs',
        headers: { 'x-access-token': ACCESS_TOKEN },
        signal: AbortSignal.timeout(WITHIN_MS),
      });
      const envs: unknown = await body.json();
      if (statusCode !== 200 || typeof envs !== 'object' || envs === null) return undefined;
      return envs as Record<string, unknown>;
    } catch {
      return undefined;
    }
  }

  /** Begins an `/init` and hangs up in the middle of its body. */
  hangUp(): Promise<void> {
    const { host, port } = this.agent;
    return new Promise((resolve) => {
      const socket = connect({ host, port }, () => {
        const head = `POST /init HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json`;
        socket.write(`${head}\r\nContent-Length: 1000\r\n\r\n{"accessToken":`, () =>
          socket.destroy(),
        );
      });
      socket.on('error', () => {});
      socket.once('close', () => resolve());
    });
  }

  close(): Promise<void> {
    return this.pool.destroy();
  }

  private async request(method: 'GET' | 'POST', path: string, body?: string): Promise<ApiAnswer> {
    const sentMs = monotonicMs();
    const ended = { status: null, version: null, error: null };
    try {
      const answer = await this.pool.request({
        method,
        path,
        body: body ?? null,
        headers: { 'content-type': 'application/json' },
        signal: AbortSignal.timeout(WITHIN_MS),
      });
      const endedMs = monotonicMs();
      // Whatever becomes of the body, the answer was given.
      await answer.body.dump().catch(() => {});
      const version = answer.headers['x-envd-version'];
      return {
        ...ended,
        sentMs,
        endedMs,
        status: answer.statusCode,
        version: typeof version === 'string' ? cleanText(version) : null,
      };
    } catch (thrown) {
      return {
        ...ended,
        sentMs,
        endedMs: monotonicMs(),
        error: codeOf(thrown) ?? messageOf(thrown),
      };
    }
  }
}
