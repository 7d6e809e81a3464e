import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { parseFault } from '../../src/mmds/fault-spec.js';
import { type Mmds, type MmdsConfig, type MmdsOptions, startMmds } from '../../src/mmds/mmds.js';

export const METADATA = {
  instanceID: 'i-1',
  envID: 'e-1',
  network: { address: '10.0.0.1', ports: [80, 443], deep: { name: 'äöü' } },
  count: 7,
  'a/b': 'slash',
};

/** A service on a free loopback port that stops with the test. */
export async function serve(
  t: TestContext,
  fault = 'none',
  config: Partial<MmdsConfig> = {},
  options: MmdsOptions = {},
): Promise<Mmds> {
  const mmds = await startMmds(
    {
      address: '127.0.0.1',
      port: 0,
      network: { kind: 'loopback' },
      metadata: METADATA,
      version: 'V2',
      close: 'auto',
      fault: parseFault(fault, '--fault'),
      ...config,
    },
    options,
  );
  t.after(() => mmds.stop());
  return mmds;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** One request of an ordinary HTTP client, on a connection of its own. */
export async function ask(
  mmds: Mmds,
  method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const dispatcher = new Agent({ pipelining: 0 });
  try {
    const answer = await request(`http://${mmds.address}:${mmds.port}${path}`, {
      method,
      headers,
      dispatcher,
      signal: AbortSignal.timeout(20_000),
    });
    const body = await answer.body.text();
    return { status: answer.statusCode, headers: answer.headers, body };
  } finally {
    await dispatcher.destroy();
  }
}

export async function token(mmds: Mmds, ttlSeconds = 60): Promise<string> {
  const answer = await ask(mmds, 'PUT', '/latest/api/token', {
    'X-metadata-token-ttl-seconds': `${ttlSeconds}`,
  });
  return answer.body;
}

/** A bare TCP client that keeps all that it sees. */
export class Raw {
  readonly socket: Socket;
  text = '';
  /** Whether the other side has closed its half. */
  ended = false;
  closed = false;
  error: string | undefined;

  constructor(mmds: { address: string; port: number }) {
    this.socket = connect({ host: mmds.address, port: mmds.port, allowHalfOpen: true });
    this.socket.on('data', (chunk) => {
      this.text += chunk.toString('latin1');
    });
    this.socket.on('end', () => {
      this.ended = true;
    });
    this.socket.on('error', (error: NodeJS.ErrnoException) => {
      this.error = error.code;
    });
    this.socket.on('close', () => {
      this.closed = true;
    });
  }

  async connected(): Promise<this> {
    await once(this.socket, 'connect');
    return this;
  }

  send(text: string): void {
    this.socket.write(text, 'latin1');
  }
}

export async function rawTo(t: TestContext, mmds: Mmds): Promise<Raw> {
  const raw = new Raw(mmds);
  t.after(() => raw.socket.destroy());
  return raw.connected();
}

export const TOKEN_REQUEST =
  'PUT /latest/api/token HTTP/1.1\r\nHost: m\r\nX-metadata-token-ttl-seconds: 60\r\n\r\n';

/** Waits for a condition, not for a time; fails after 20 s. */
export async function until(what: string, condition: () => boolean | Promise<boolean>) {
  const endsAt = performance.now() + 20_000;
  while (!(await condition())) {
    if (performance.now() > endsAt) throw new Error(`waited in vain: ${what}`);
    await sleep(5);
  }
}
