import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { Attempt, type MmdsAddress, REQUEST_TIMEOUT_MS } from '../../src/agents/attempt.js';
import { type Counters, newCounters } from '../../src/agents/counters.js';
import type { HttpResponse } from '../../src/agents/http-response.js';
import { until } from '../base/until.js';
import { assertAddsUp } from './counted.js';
import { hangs, refusing, type ScriptedRequest, scriptMmds } from './scripted-mmds.js';

/** Makes one attempt and waits for its end. */
async function attempt(
  mmds: MmdsAddress,
): Promise<{ counters: Counters; response: HttpResponse | undefined }> {
  const counters = newCounters();
  const response = await new Promise<HttpResponse | undefined>((done) => {
    new Attempt(mmds, 'GET / HTTP/1.1\r\n\r\n', counters, done);
  });
  return { counters, response };
}

const scripts: [
  comment: string,
  script: (request: ScriptedRequest) => void,
  outcome: keyof Counters,
][] = [
  ['an answer', (request) => request.answer('ok'), 'answered'],
  ['an answer of another status', (request) => request.answer('no', 500), 'answered'],
  ['an answer without a body', (request) => request.answer('', 200), 'answered'],
  ['an answer up to the end', ({ socket }) => socket.end('HTTP/1.0 200 OK\r\n\r\nok'), 'answered'],
  ['a reset', ({ socket }) => socket.resetAndDestroy(), 'reset'],
  ['a close without a word', ({ socket }) => socket.end(), 'failedOtherwise'],
  [
    'a close within the body',
    ({ socket }) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx'),
    'failedOtherwise',
  ],
  ['another protocol', ({ socket }) => socket.end('220 smtp ready\r\n\r\n'), 'failedOtherwise'],
  ['too much', ({ socket }) => socket.end(Buffer.alloc(2 << 20)), 'failedOtherwise'],
];
for (const [comment, script, outcome] of scripts) {
  test(`an attempt that gets ${comment} is counted as ${outcome}, once`, async (t) => {
    const mmds = await scriptMmds(t, script);
    const { counters, response } = await attempt(mmds.address);
    assert.equal(counters[outcome], 1);
    assert.equal(counters.attempts, 1);
    assertAddsUp(counters);
    assert.equal(response !== undefined, outcome === 'answered');
  });
}

test('an attempt that is refused', async (t) => {
  const { counters, response } = await attempt(await refusing(t));
  assert.equal(counters.refused, 1);
  assertAddsUp(counters);
  assert.equal(response, undefined);
});

test('an attempt is given up after 10 s, connection and body included', async (t) => {
  const mmds = await scriptMmds(t, (request) => request.raw('HTTP/1.1 200 OK\r\n'));
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const counters = newCounters();
  let isDone = false;
  new Attempt(mmds.address, 'GET / HTTP/1.1\r\n\r\n', counters, () => {
    isDone = true;
  });
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  while (mmds.requests.length === 0) await turn();
  t.mock.timers.tick(REQUEST_TIMEOUT_MS - 1);
  for (let i = 0; i < 5; i++) await turn();
  assert.equal(isDone, false);
  t.mock.timers.tick(1);
  while (!isDone) await turn();
  assert.equal(counters.timedOut, 1);
  assertAddsUp(counters);
});

for (const when of ['before it has connected', 'while it waits for the answer'] as const) {
  test(`an attempt that is cancelled ${when}`, async (t) => {
    const mmds = await scriptMmds(t, hangs);
    const counters = newCounters();
    let response: HttpResponse | undefined | 'pending' = 'pending';
    const running = new Attempt(mmds.address, 'GET / HTTP/1.1\r\n\r\n', counters, (one) => {
      response = one;
    });
    if (when !== 'before it has connected') {
      await until('it has arrived', () => mmds.requests.length === 1);
    }
    running.cancel();
    running.cancel();
    await until('it has ended', () => response !== 'pending');
    assert.equal(response, undefined);
    assert.equal(counters.cancelled, 1);
    assertAddsUp(counters);
  });
}

test('an attempt that is cancelled after its end changes nothing', async (t) => {
  const mmds = await scriptMmds(t, (request) => request.answer('ok'));
  const counters = newCounters();
  let done = 0;
  const running = new Attempt(mmds.address, 'GET / HTTP/1.1\r\n\r\n', counters, () => done++);
  await until('it has ended', () => done > 0);
  running.cancel();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(done, 1);
  assert.equal(counters.answered, 1);
  assert.equal(counters.cancelled, 0);
});

test('the agent closes first, as soon as the answer is whole', async (t: TestContext) => {
  const ended: string[] = [];
  const mmds = await scriptMmds(t, (request) => {
    request.socket.on('end', () => ended.push('agent'));
    request.answer('ok');
  });
  await attempt(mmds.address);
  await until('the server saw the end', () => ended.length === 1);
});

test('an answer in many pieces is one answer', async (t) => {
  const mmds = await scriptMmds(t, ({ socket }) => {
    socket.setNoDelay(true);
    const bytes = [...'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc'];
    const next = (): void => {
      const byte = bytes.shift();
      if (byte !== undefined) socket.write(byte, () => setImmediate(next));
    };
    next();
  });
  const { response } = await attempt(mmds.address);
  assert.equal(response?.body.toString(), 'abc');
});

test('a network that cannot be reached is no lack of ports', async (t) => {
  const failed = (code: string) => {
    t.mock.method(Socket.prototype, 'connect', function (this: Socket) {
      return this.destroy(Object.assign(new Error(code), { code }));
    });
  };
  for (const [code, outcome] of [
    ['ENETUNREACH', 'failedOtherwise'],
    ['EHOSTUNREACH', 'failedOtherwise'],
    ['EADDRNOTAVAIL', 'localFailures'],
  ] as const) {
    failed(code);
    const { counters } = await attempt({ host: '127.0.0.1', port: 1 });
    assert.equal(counters[outcome], 1, code);
    t.mock.restoreAll();
  }
});
