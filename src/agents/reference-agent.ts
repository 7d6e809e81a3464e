import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { checkAccessToken } from './access-token.js';
import type { MmdsAddress } from './attempt.js';
import { type Counters, newCounters } from './counters.js';
import { type Guard, ignoreEnd } from './guards/guard.js';
import { parseInitRequest } from './init-request.js';
import type { Metadata } from './mmds-requests.js';
import type { Pollers } from './pollers.js';
import { InitLock } from './semaphore.js';
import { sumCounters } from './shared-counters.js';

/** More than any `/init` has; envd itself sets no bound. */
const LONGEST_BODY = 64 << 20;

export interface ReferenceAgentSettings {
  guard: Guard;
  mmds: MmdsAddress;
  /** How long a poller lives, ms. */
  lifetimeMs: number;
  /** The token the agent was resumed with. */
  accessToken: string | undefined;
  /** Whether it also starts envd's poller at boot, which has no time limit (envd main.go). */
  bootPoller: boolean;
}

/** An HTTP server in the shape of envd 0.6.13 (packages/envd/internal/api), with a guard of choice. */
export class ReferenceAgent {
  readonly server: Server;
  /** What `/init` itself asks of MMDS. */
  private readonly own = newCounters();
  private readonly envVars = new Map<string, string>();
  private readonly lock = new InitLock();
  private readonly onInit: () => void;
  private accessToken: string | undefined;
  private isDraining = false;
  private lastTimestamp = Number.NEGATIVE_INFINITY;

  /** @param pollers those that it starts; what they find is to be given to {@link store} */
  constructor(
    private readonly settings: ReferenceAgentSettings,
    private readonly pollers: Pollers,
  ) {
    this.accessToken = settings.accessToken;
    this.onInit = settings.guard.create(() => pollers.spawn(settings.lifetimeMs));
    this.server = createServer((request, response) => this.route(request, response));
    // envd's idle timeout is 640 s (main.go): longer than any pause of a driver.
    this.server.keepAliveTimeout = 640_000;
    this.server.requestTimeout = 0;
    this.server.headersTimeout = 0;
    if (settings.bootPoller) pollers.spawn(Number.POSITIVE_INFINITY).done.catch(ignoreEnd);
  }

  /** What it and its pollers have counted up to now. */
  get counters(): Counters {
    const { counters } = this.pollers;
    return sumCounters([counters, this.own], counters.pollersPeak);
  }

  /** Takes what a poller found. */
  store(metadata: Metadata): void {
    this.envVars.set('E2B_SANDBOX_ID', metadata.sandboxId);
    this.envVars.set('E2B_TEMPLATE_ID', metadata.templateId);
  }

  /**
   * Stops all pollers, and starts no more; requests are still answered.
   * @returns settles when every attempt of a poller has its outcome
   */
  stopPolling(): Promise<void> {
    this.isDraining = true;
    return this.pollers.stop();
  }

  private route(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url?.split('?', 1)[0];
    const route = `${request.method} ${path}`;
    if (route === 'POST /init') void this.init(request, response);
    else if (route === 'GET /health') answer(response, 204);
    else if (route === 'GET /envs') this.envs(request, response);
    else answer(response, path === '/init' || path === '/health' || path === '/envs' ? 405 : 404);
  }

  private envs(request: IncomingMessage, response: ServerResponse): void {
    if (this.accessToken && request.headers['x-access-token'] !== this.accessToken) {
      answer(response, 401);
      return;
    }
    response.setHeader('Content-Type', 'application/json');
    answer(response, 200, JSON.stringify(Object.fromEntries(this.envVars)));
  }

  /** envd internal/api/init.go, PostInit: lock, token, data, and then the spawn. */
  private async init(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('X-Envd-Version', this.settings.guard.version);
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const body = await readBody(request);
    const fields = body === undefined ? undefined : parseInitRequest(body);
    if (!fields) {
      answer(response, body === undefined ? 413 : 400);
      return;
    }
    if (!(await this.lock.acquire(gone.signal))) {
      answer(response, 503);
      return;
    }
    try {
      const offered = fields.accessToken || undefined;
      const { mmds } = this.settings;
      const refused = await checkAccessToken(
        this.accessToken,
        offered,
        { mmds, counters: this.own },
        gone.signal,
      );
      if (refused) {
        answer(response, 401, refused);
        return;
      }
      if (this.isNewer(fields.timestamp)) {
        if (fields.envVars) this.replaceUserVars(fields.envVars);
        this.accessToken = offered;
      }
    } finally {
      this.lock.release();
    }
    if (!this.isDraining) this.onInit();
    answer(response, 204);
  }

  /** A request with a timestamp not newer than the last changes no data. */
  private isNewer(timestamp: string | null | undefined): boolean {
    if (!timestamp) return true;
    const time = Date.parse(timestamp);
    if (time <= this.lastTimestamp) return false;
    this.lastTimestamp = time;
    return true;
  }

  private replaceUserVars(vars: Record<string, string>): void {
    for (const name of this.envVars.keys()) {
      if (!name.startsWith('E2B_')) this.envVars.delete(name);
    }
    for (const [name, value] of Object.entries(vars)) this.envVars.set(name, value);
  }
}

function answer(response: ServerResponse, status: number, body?: string): void {
  response.setHeader('Cache-Control', 'no-store');
  response.writeHead(status).end(body);
}

/** The whole body, or undefined when it is too long or the caller went away. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of request as AsyncIterable<Buffer>) {
      length += piece.length;
      if (length > LONGEST_BODY) return undefined;
      pieces.push(piece);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(pieces).toString('utf8');
}
