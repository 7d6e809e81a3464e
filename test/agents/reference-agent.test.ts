import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { Agent, request } from 'undici';
import { hashAccessToken } from '../../src/agents/access-token.js';
import { newCounters } from '../../src/agents/counters.js';
import { guards } from '../../src/agents/guards/index.js';
import type { Metadata } from '../../src/agents/mmds-requests.js';
import { pollModels } from '../../src/agents/poll-models.js';
import type { PollerSettings } from '../../src/agents/poller.js';
import { ThreadPollers } from '../../src/agents/pollers.js';
import { ReferenceAgent, type ReferenceAgentSettings } from '../../src/agents/reference-agent.js';
import { lookUp } from '../../src/base/nearest.js';
import { until } from '../base/until.js';
import { assertAddsUp, outcomes } from './counted.js';
import { hangs, refusing, type ScriptedRequest, scriptMmds, serves } from './scripted-mmds.js';

const LONG_MS = 3_600_000;
/** The token that needs no word to MMDS. */
const STORED = 'stored';
const IDENTITY = { instanceID: 'i-1', envID: 'e-1' };

interface Reply {
  status: number;
  version: string | string[] | undefined;
  body: string;
}

/** A reference agent on a free loopback port, and what it says. */
class Bench {
  readonly stored: Metadata[] = [];
  readonly agent: ReferenceAgent;
  private readonly dispatcher = new Agent();
  origin = '';

  constructor(
    settings: Partial<Omit<ReferenceAgentSettings, 'guard'>> & {
      guard?: string;
      tickMs?: number;
      keep?: PollerSettings['store'];
    },
  ) {
    const { guard: name, tickMs = 5, keep, ...others } = settings;
    const guard = lookUp('agent', name ?? 'unguarded', guards);
    const mmds = others.mmds ?? { host: '127.0.0.1', port: 1 };
    const pollers = new ThreadPollers({
      mmds,
      model: lookUp('poller', 'envd', pollModels),
      tickMs,
      acceptsEmptyStore: guard.acceptsEmptyStore,
      counters: newCounters(),
      store: (metadata) => {
        this.agent.store(metadata);
        if (keep) keep(metadata);
        else this.stored.push(metadata);
      },
    });
    this.agent = new ReferenceAgent(
      { guard, lifetimeMs: LONG_MS, accessToken: STORED, bootPoller: false, ...others, mmds },
      pollers,
    );
  }

  get counters() {
    return this.agent.counters;
  }

  async listen(t: TestContext): Promise<this> {
    const { server } = this.agent;
    server.listen({ host: '127.0.0.1', port: 0 });
    await once(server, 'listening');
    this.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    t.after(async () => {
      this.agent.stopPolling();
      server.close();
      server.closeAllConnections();
      await this.dispatcher.destroy();
    });
    return this;
  }

  async ask(
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    body?: string | Buffer,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const response = await request(`${this.origin}${path}`, {
      method,
      headers,
      dispatcher: this.dispatcher,
      ...(body !== undefined && { body }),
    });
    const { statusCode, headers: answered } = response;
    return {
      status: statusCode,
      version: answered['x-envd-version'],
      body: await response.body.text(),
    };
  }

  /** An `/init` with the stored token, unless another is given. */
  init(fields: object = {}): Promise<Reply> {
    return this.ask('POST', '/init', JSON.stringify({ accessToken: STORED, ...fields }));
  }

  async envs(token = STORED): Promise<{ status: number; vars: Record<string, string> }> {
    const headers = { 'x-access-token': token };
    const { status, body } = await this.ask('GET', '/envs', undefined, headers);
    return { status, vars: body === '' ? {} : JSON.parse(body) };
  }

  async inits(count: number): Promise<void> {
    for (let i = 0; i < count; i++) assert.equal((await this.init()).status, 204);
  }

  /** Ends the pollers and waits until every attempt has an outcome. */
  async stop(): Promise<void> {
    this.agent.stopPolling();
    assert.equal(this.counters.pollersRunning, 0);
    await until(
      'no attempt is under way',
      () => outcomes(this.counters) === this.counters.attempts,
    );
    const { attempts } = this.counters;
    await new Promise((resolve) => setTimeout(resolve, 30));
    assert.equal(this.counters.attempts, attempts, 'a poller that was stopped went on');
    assertAddsUp(this.counters);
  }
}

function bench(t: TestContext, settings: ConstructorParameters<typeof Bench>[0] = {}) {
  return new Bench(settings).listen(t);
}

for (const [guard, pollers] of [
  ['unguarded', 8],
  ['guarded', 1],
  ['guarded-pr', 1],
  ['guarded-rearm', 1],
] as const) {
  test(`${guard}: 8 /init while MMDS refuses make ${pollers} poller(s)`, async (t) => {
    const b = await bench(t, { guard, mmds: await refusing(t) });
    await b.inits(8);
    assert.equal(b.counters.pollersSpawned, pollers);
    assert.equal(b.counters.pollersRunning, pollers);
    assert.equal(b.counters.pollersPeak, pollers);
    await until('every poller has asked', () => b.counters.attempts >= 2 * pollers);
    await b.stop();
    assert.equal(b.counters.attempts, b.counters.refused + b.counters.cancelled);
    assert.ok(b.counters.refused > 0);
    assert.ok(b.counters.attemptsPerPollerMax <= b.counters.attempts);
  });

  test(`${guard}: 8 simultaneous /init make ${pollers} poller(s)`, async (t) => {
    const b = await bench(t, { guard, mmds: await refusing(t) });
    await Promise.all(Array.from({ length: 8 }, () => b.init()));
    assert.equal(b.counters.pollersSpawned, pollers);
    await b.stop();
  });

  test(`${guard}: an answer ends the pollers, and a later /init polls again`, async (t) => {
    let identity = IDENTITY;
    const mmds = await scriptMmds(t, (one) => serves(identity)(one));
    const b = await bench(t, { guard, mmds: mmds.address });
    await b.inits(3);
    await until('all have ended', () => b.counters.pollersRunning === 0);
    assert.equal(b.counters.pollersFinished, b.counters.pollersSpawned);
    assert.equal(b.counters.pollersExpired, 0);
    assert.deepEqual(b.stored.at(-1), { sandboxId: 'i-1', templateId: 'e-1', accessTokenHash: '' });
    identity = { instanceID: 'i-2', envID: 'e-2' };
    const before = b.counters.pollersSpawned;
    await b.inits(1);
    assert.equal(b.counters.pollersSpawned, before + 1);
    await until('it has ended', () => b.counters.pollersRunning === 0);
    assert.equal(b.stored.at(-1)?.sandboxId, 'i-2');
    assertAddsUp(b.counters);
  });

  test(`${guard}: the lifetime ends the pollers, and a later /init polls again`, async (t) => {
    const b = await bench(t, { guard, mmds: await refusing(t), lifetimeMs: 60 });
    await Promise.all(Array.from({ length: 4 }, () => b.init()));
    await until('all have ended', () => b.counters.pollersRunning === 0);
    assert.equal(b.counters.pollersExpired, b.counters.pollersSpawned);
    assert.equal(b.counters.pollersFinished, 0);
    // 60 ms hold eleven ticks of 5 ms; a renewed poller has more.
    if (guard !== 'guarded-rearm') assert.ok(b.counters.attemptsPerPollerMax <= 11);
    const before = b.counters.pollersSpawned;
    await b.inits(1);
    assert.equal(b.counters.pollersSpawned, before + 1);
    await b.stop();
  });
}

test('with a hanging MMDS every poller holds one attempt, and a stop cancels it', async (t) => {
  const mmds = await scriptMmds(t, hangs);
  const b = await bench(t, { mmds: mmds.address });
  await b.inits(10);
  await until('all have asked', () => mmds.requests.length === 10);
  assert.equal(mmds.open(), 10);
  await b.stop();
  assert.equal(b.counters.attempts, 10);
  assert.equal(b.counters.cancelled, 10);
  assert.equal(b.counters.attemptsPerPollerMax, 1);
});

test('the lifetime ends a poller in mid-request: the attempt is cancelled', async (t) => {
  const mmds = await scriptMmds(t, hangs);
  const b = await bench(t, { mmds: mmds.address, lifetimeMs: 60 });
  await b.inits(1);
  await until('it has ended', () => b.counters.pollersExpired === 1);
  await until('the attempt has ended', () => outcomes(b.counters) === b.counters.attempts);
  assert.equal(b.counters.cancelled, b.counters.attempts);
  assert.equal(b.counters.pollersRunning, 0);
});

for (const [guard, ends] of [
  ['unguarded', true],
  ['guarded', true],
  ['guarded-pr', true],
  ['guarded-rearm', false],
] as const) {
  test(`${guard}: an empty store ${ends ? 'ends' : 'does not end'} the poller`, async (t) => {
    const mmds = await scriptMmds(t, serves(null));
    const b = await bench(t, { guard, mmds: mmds.address });
    await b.inits(1);
    if (ends) {
      await until('it has ended', () => b.counters.pollersFinished === 1);
      assert.deepEqual(b.stored, [{ sandboxId: '', templateId: '', accessTokenHash: '' }]);
    } else {
      await until('it has asked again', () => b.counters.answered >= 6);
      assert.equal(b.counters.pollersRunning, 1);
      assert.deepEqual(b.stored, []);
      await b.stop();
    }
  });
}

for (const [guard, polls] of [
  ['guarded', 2],
  ['guarded-pr', 1],
] as const) {
  test(`${guard}: after a poll that threw ${polls === 2 ? 'it polls again' : 'it is stuck'}`, async (t) => {
    const mmds = await scriptMmds(t, serves(IDENTITY));
    const b = await bench(t, {
      guard,
      mmds: mmds.address,
      keep: () => {
        throw new Error('read-only file system');
      },
    });
    await b.inits(1);
    await until('the poll threw', () => b.counters.pollersRunning === 0);
    await b.inits(1);
    assert.equal(b.counters.pollersSpawned, polls);
    await until('all have ended', () => b.counters.pollersRunning === 0);
    assert.equal(b.counters.pollersFinished, 0);
  });
}

test('guarded-rearm: an /init while an old answer is in flight ends with the new identity', async (t) => {
  const held: ScriptedRequest[] = [];
  const mmds = await scriptMmds(t, (one) => {
    if (one.isToken) one.answer('token');
    else held.push(one);
  });
  const b = await bench(t, { guard: 'guarded-rearm', mmds: mmds.address });
  await b.inits(1);
  await until('the metadata were asked for', () => held.length === 1);
  await b.inits(1);
  held[0]?.answer(JSON.stringify({ instanceID: 'old', envID: 'e' }));
  await until('they were asked for again', () => held.length === 2);
  held[1]?.answer(JSON.stringify({ instanceID: 'new', envID: 'e' }));
  await until('it has ended', () => b.counters.pollersRunning === 0);
  assert.equal(b.stored.at(-1)?.sandboxId, 'new');
  assert.equal(b.counters.pollersSpawned, 1);
});

test('the boot poller starts with the agent, is never guarded, and has no time limit', async (t) => {
  const b = await bench(t, {
    guard: 'guarded',
    mmds: await refusing(t),
    bootPoller: true,
    lifetimeMs: 30,
  });
  assert.equal(b.counters.pollersSpawned, 1);
  await b.inits(3);
  await until('the other has ended', () => b.counters.pollersExpired === 1);
  assert.equal(b.counters.pollersSpawned, 2);
  assert.equal(b.counters.pollersRunning, 1);
  await b.stop();
});

test('the bodies that /init refuses: 400, with the version and without a poller', async (t) => {
  const b = await bench(t);
  for (const body of ['{', 'hello', '[]', '{"accessToken":5}', '{"timestamp":"yesterday"}']) {
    const { status, version } = await b.ask('POST', '/init', body);
    assert.equal(status, 400, body);
    assert.equal(version, '0.6.13');
  }
  assert.equal(b.counters.pollersSpawned, 0);
});

test('/init without a body is accepted', async (t) => {
  const b = await bench(t, { mmds: await refusing(t), accessToken: undefined });
  const { status, version, body } = await b.ask('POST', '/init');
  assert.deepEqual({ status, version, body }, { status: 204, version: '0.6.13', body: '' });
  assert.equal(b.counters.pollersSpawned, 1);
});

test('a body of more than 64 MiB gets 413, and the agent lives on', async (t) => {
  const b = await bench(t, { mmds: await refusing(t) });
  const { status, version } = await b.ask('POST', '/init', Buffer.alloc((64 << 20) + 1, ' '));
  assert.equal(status, 413);
  assert.equal(version, '0.6.13');
  assert.equal(b.counters.pollersSpawned, 0);
  assert.equal((await b.init()).status, 204);
});

test('a wrong access token: 401, with the version and without a poller', async (t) => {
  const mmds = await scriptMmds(t, serves({ accessTokenHash: hashAccessToken('right') }));
  const b = await bench(t, { guard: 'guarded', mmds: mmds.address, accessToken: 'old' });
  const wrong = await b.init({ accessToken: 'wrong' });
  assert.equal(wrong.status, 401);
  assert.equal(wrong.version, '0.6.14');
  assert.equal(wrong.body, 'access token validation failed');
  assert.equal((await b.init({ accessToken: null })).body, 'access token reset not authorized');
  assert.equal(b.counters.pollersSpawned, 0);
  assert.equal((await b.init({ accessToken: 'old' })).status, 204);
  assert.equal((await b.init({ accessToken: 'right' })).status, 204);
  // From now on it is the stored one.
  assert.equal((await b.envs('old')).status, 401);
  assert.equal((await b.envs('right')).status, 200);
});

test('a stale timestamp changes no data, and still starts a poller', async (t) => {
  const b = await bench(t, { mmds: await refusing(t) });
  const at = (timestamp: string, A: string) => b.init({ timestamp, envVars: { A } });
  const envs = async () => (await b.envs()).vars;
  await at('2026-01-01T00:00:01Z', 'first');
  assert.deepEqual(await envs(), { A: 'first' });
  for (const stale of [
    '2026-01-01T00:00:01Z',
    '2026-01-01T00:00:00Z',
    '2026-01-01T02:00:00+02:00',
  ]) {
    assert.equal((await at(stale, 'stale')).status, 204);
    assert.deepEqual(await envs(), { A: 'first' });
  }
  await at('2026-01-01T00:00:02Z', 'second');
  assert.deepEqual(await envs(), { A: 'second' });
  // Without a timestamp it always counts.
  await b.init({ envVars: { B: 'third' } });
  assert.deepEqual(await envs(), { B: 'third' });
  assert.equal(b.counters.pollersSpawned, 6);
});

test('an empty, null or missing set of variables', async (t) => {
  const b = await bench(t, { mmds: await refusing(t) });
  const envs = async () => (await b.envs()).vars;
  await b.init({ envVars: { A: '1', ['__proto__']: 'x' } });
  await b.init({});
  await b.init({ envVars: null });
  assert.equal((await envs()).A, '1');
  await b.init({ envVars: {} });
  assert.deepEqual(await envs(), {});
});

test('/envs has the identity beside the variables, and a new set of variables leaves it', async (t) => {
  const mmds = await scriptMmds(t, serves(IDENTITY));
  const b = await bench(t, { mmds: mmds.address });
  await b.init({ envVars: { A: '1' } });
  await until('it has ended', () => b.counters.pollersFinished === 1);
  const envs = async () => (await b.envs()).vars;
  assert.deepEqual(await envs(), { A: '1', E2B_SANDBOX_ID: 'i-1', E2B_TEMPLATE_ID: 'e-1' });
  await b.init({ envVars: { B: '2' } });
  assert.deepEqual(await envs(), { B: '2', E2B_SANDBOX_ID: 'i-1', E2B_TEMPLATE_ID: 'e-1' });
});

test('/envs asks for the access token once there is one', async (t) => {
  const b = await bench(t, { mmds: await refusing(t), accessToken: undefined });
  assert.equal((await b.ask('GET', '/envs')).status, 200);
  await b.init({ accessToken: 'secret' });
  assert.equal((await b.ask('GET', '/envs')).status, 401);
  assert.equal((await b.envs('other')).status, 401);
  assert.equal((await b.envs('')).status, 401);
  assert.equal((await b.envs('secret')).status, 200);
});

const routes: [method: 'GET' | 'POST' | 'PUT', path: string, status: number][] = [
  ['GET', '/health', 204],
  ['GET', '/health?x=1', 204],
  ['POST', '/health', 405],
  ['GET', '/init', 405],
  ['PUT', '/init', 405],
  ['POST', '/envs', 405],
  ['GET', '/', 404],
  ['GET', '/initial', 404],
  ['GET', '//health', 404],
];
for (const [method, path, status] of routes) {
  test(`${method} ${path} answers ${status}`, async (t) => {
    assert.equal((await (await bench(t)).ask(method, path)).status, status);
  });
}

test('while an /init waits for MMDS, the others wait for it, and /health does not', async (t) => {
  const held: ScriptedRequest[] = [];
  const mmds = await scriptMmds(t, (one) => held.push(one));
  const b = await bench(t, { mmds: mmds.address, accessToken: 'old', tickMs: LONG_MS });
  const first = b.init({ accessToken: 'new' });
  await until('MMDS was asked', () => held.length === 1);
  const order: string[] = [];
  const second = b.init({ accessToken: 'old' }).then(({ status }) => {
    order.push('second');
    return status;
  });
  assert.equal((await b.ask('GET', '/health')).status, 204);
  assert.equal(b.counters.pollersSpawned, 0);
  assert.deepEqual(order, []);
  held[0]?.answer('token');
  await until('the metadata were asked for', () => held.length === 2);
  held[1]?.answer(JSON.stringify({ accessTokenHash: hashAccessToken('new') }));
  assert.equal((await first).status, 204);
  // The token is another one by now, so the second one is held against MMDS too, and fails.
  await until('MMDS was asked again', () => held.length === 3);
  held[2]?.answer('token');
  await until('the metadata were asked for again', () => held.length === 4);
  held[3]?.answer('{}');
  assert.equal(await second, 401);
  assert.equal(b.counters.pollersSpawned, 1);
});

/** An /init whose caller hangs up when it is told to. */
async function rawInit(origin: string, fields: object): Promise<{ hangUp(): void }> {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(origin).port) });
  socket.on('error', () => {});
  await once(socket, 'connect');
  const body = JSON.stringify(fields);
  socket.write(`POST /init HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  return { hangUp: () => socket.destroy() };
}

test('a caller that hangs up while it waits for the lock: 503, no poller, and the lock is free', async (t) => {
  const held: ScriptedRequest[] = [];
  const mmds = await scriptMmds(t, (one) => held.push(one));
  const b = await bench(t, { mmds: mmds.address, accessToken: 'old', tickMs: LONG_MS });
  const answers: ServerResponse[] = [];
  b.agent.server.on('request', (_, response) => answers.push(response));
  const first = await rawInit(b.origin, { accessToken: 'new' });
  await until('MMDS was asked', () => held.length === 1);
  const second = await rawInit(b.origin, { accessToken: 'old' });
  await until('both are there', () => answers.length === 2);
  // Its body has been read when a whole round trip has passed.
  await b.ask('GET', '/health');
  second.hangUp();
  await until('it was given up', () => answers[1]?.statusCode === 503);
  assert.equal(answers[1]?.getHeader('x-envd-version'), '0.6.13');
  assert.equal(b.counters.pollersSpawned, 0);
  // The one that holds the lock goes away too: its request to MMDS is cancelled, the lock is free.
  first.hangUp();
  await until('the request was cancelled', () => b.counters.cancelled === 1);
  assert.equal((await b.init({ accessToken: 'old' })).status, 204);
  assert.equal(b.counters.pollersSpawned, 1);
  assertAddsUp(b.counters);
});

test('a caller that hangs up in mid-body starts no poller, and the agent lives on', async (t) => {
  const b = await bench(t, { mmds: await refusing(t) });
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(b.origin).port) });
  socket.on('error', () => {});
  await once(socket, 'connect');
  const arrived = once(b.agent.server, 'request');
  socket.write('POST /init HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"acc');
  await arrived;
  socket.destroy();
  assert.equal((await b.init()).status, 204);
  assert.equal(b.counters.pollersSpawned, 1);
});

test('what is no HTTP gets 400, and the agent lives on', async (t) => {
  const b = await bench(t);
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(b.origin).port) });
  socket.on('error', () => {});
  socket.write('\u0000\u0001garbage\r\n\r\n');
  const [piece] = await once(socket, 'data');
  assert.match(String(piece), /^HTTP\/1\.1 400 /);
  socket.destroy();
  assert.equal((await b.ask('GET', '/health')).status, 204);
});
