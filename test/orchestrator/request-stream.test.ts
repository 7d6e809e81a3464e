import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { monotonicMs } from '../../src/base/clock.js';
import { type Outcome, RequestStream } from '../../src/orchestrator/request-stream.js';
import type { CountedRequests } from '../../src/results/schema.js';
import { until } from '../base/until.js';
import { serveHttp, serveTcp } from './servers.js';

const PROBE = { method: 'GET', path: '/health' } as const;

function stream(t: TestContext, origin: string, timeoutMs = 20_000): RequestStream {
  const requests = new RequestStream(origin, PROBE, timeoutMs);
  t.after(() => requests.close());
  return requests;
}

/** Sends `count` at once and waits for the end of all. */
async function sendAll(requests: RequestStream, count: number): Promise<CountedRequests> {
  for (let i = 0; i < count; i++) void requests.send(monotonicMs());
  await requests.settled();
  return requests.summary();
}

function assertAddsUp({ sent, answered, timedOut, failed, statuses }: CountedRequests): void {
  assert.equal(answered + timedOut + failed, sent);
  const counted = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  assert.equal(counted, answered);
}

function assertNoData(summary: CountedRequests): void {
  assert.deepEqual(summary.latencyMs, { p50: null, p99: null, max: null });
  assert.equal(summary.histogram, null);
}

test('a server that answers', async (t) => {
  const origin = await serveHttp(t, (_, response) => response.writeHead(204).end());
  const summary = await sendAll(stream(t, origin), 20);
  assertAddsUp(summary);
  assert.equal(summary.answered, 20);
  assert.deepEqual(summary.statuses, { 204: 20 });
  const { p50, p99, max } = summary.latencyMs;
  assert.ok(p50 !== null && p99 !== null && max !== null && p50 <= p99 && p99 <= max);
});

test('an answer of any status is an answer', async (t) => {
  const statuses = [204, 500, 401, 503];
  let at = 0;
  const origin = await serveHttp(t, (_, response) => {
    response.writeHead(statuses[at++ % statuses.length] ?? 0).end('sorry');
  });
  const summary = await sendAll(stream(t, origin), 8);
  assertAddsUp(summary);
  assert.deepEqual(summary.statuses, { 204: 2, 500: 2, 401: 2, 503: 2 });
});

test('a server that hangs: every request times out', async (t) => {
  const origin = await serveTcp(t, () => {});
  const summary = await sendAll(stream(t, origin, 50), 5);
  assertAddsUp(summary);
  assert.equal(summary.timedOut, 5);
  assertNoData(summary);
});

test('a timeout of less than a millisecond, or of a fraction, is one too', async (t) => {
  const origin = await serveTcp(t, () => {});
  for (const timeoutMs of [0.25, 1.5]) {
    const summary = await sendAll(stream(t, origin, timeoutMs), 2);
    assertAddsUp(summary);
    assert.equal(summary.timedOut, 2);
  }
});

const MID_BODY = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc';
const rude: [comment: string, talk: (socket: Socket) => void, outcome: Outcome][] = [
  ['closes without a word', (socket) => socket.destroy(), 'failed'],
  ['resets', (socket) => socket.resetAndDestroy(), 'failed'],
  ['sends garbage', (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n\r\n'), 'failed'],
  ['sends bytes', (socket) => socket.end(Buffer.alloc(100_000, 0xff)), 'failed'],
  ['closes within the head', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-'), 'failed'],
  // As for the orchestrator, whose client returns with the head: any status is an answer.
  ['closes within the body', (socket) => socket.end(MID_BODY), 'answered'],
  [
    'resets within the body',
    (socket) => socket.write(MID_BODY, () => socket.resetAndDestroy()),
    'answered',
  ],
  ['hangs within the body', (socket) => socket.write(MID_BODY), 'answered'],
  ['hangs within the head', (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-'), 'timedOut'],
];
for (const [comment, talk, outcome] of rude) {
  test(`a server that ${comment}: ${outcome}`, async (t) => {
    const origin = await serveTcp(t, talk);
    const summary = await sendAll(stream(t, origin, outcome === 'failed' ? 20_000 : 200), 5);
    assertAddsUp(summary);
    assert.equal(summary[outcome], 5);
    if (outcome !== 'answered') assertNoData(summary);
  });
}

test('nothing listens: every request fails', async (t) => {
  const origin = await serveTcp(t, () => {});
  // Somebody listens on 127.0.0.1 at that port, so nobody else can on another loopback address.
  const summary = await sendAll(stream(t, origin.replace('127.0.0.1', '127.9.9.9')), 5);
  assertAddsUp(summary);
  assert.equal(summary.failed, 5);
});

test('a body without an end does not hold the request up, nor its memory', async (t) => {
  const origin = await serveHttp(t, (_, response) => {
    const more = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536)));
    };
    response.on('drain', more).on('error', () => {});
    more();
  });
  const before = process.memoryUsage().arrayBuffers;
  const summary = await sendAll(stream(t, origin, 5_000), 3);
  assertAddsUp(summary);
  assert.equal(summary.answered, 3);
  assert.ok(process.memoryUsage().arrayBuffers - before < 50e6);
});

test('latency and slip count from the intended time', async (t) => {
  const origin = await serveHttp(t, (_, response) => response.end());
  const requests = stream(t, origin);
  await requests.send(monotonicMs() - 5_000);
  const { latencyMs, slipMs } = requests.summary();
  assert.ok((latencyMs.max ?? 0) >= 5_000 && (latencyMs.p50 ?? 0) >= 5_000);
  assert.ok((slipMs.max ?? 0) >= 5_000);
  assert.ok((latencyMs.max ?? 0) >= (slipMs.max ?? 0));
});

test('a request that is sent early has no negative slip', async (t) => {
  const origin = await serveHttp(t, (_, response) => response.end());
  const requests = stream(t, origin);
  await requests.send(monotonicMs() + 60_000);
  const { latencyMs, slipMs } = requests.summary();
  assert.equal(slipMs.max, 0);
  assert.equal(latencyMs.max, 0);
});

test('nothing sent is no data', (t) => {
  const summary = stream(t, 'http://127.0.0.1:1').summary();
  assertAddsUp(summary);
  assert.equal(summary.sent, 0);
  assertNoData(summary);
  assert.deepEqual(summary.slipMs, { p50: null, p99: null, max: null });
});

test('what is under way at the close counts as failed', async (t) => {
  let arrived = 0;
  const origin = await serveHttp(t, () => arrived++);
  const requests = stream(t, origin);
  for (let i = 0; i < 5; i++) void requests.send(monotonicMs());
  await until('all have arrived', () => arrived === 5);
  await requests.close();
  const summary = requests.summary();
  assertAddsUp(summary);
  assert.equal(summary.failed, 5);
});

test('what is sent after the close fails, and nothing is thrown', async (t) => {
  const requests = stream(t, 'http://127.0.0.1:1');
  await requests.close();
  assert.equal(await requests.send(monotonicMs()), 'failed');
});

test('requests under way have a connection each', async (t) => {
  const held: (() => void)[] = [];
  const origin = await serveHttp(t, (_, response) => {
    held.push(() => response.end());
  });
  const requests = stream(t, origin);
  const all = sendAll(requests, 30);
  await until('all are there at once', () => held.length === 30);
  for (const answer of held) answer();
  assert.equal((await all).answered, 30);
});

test('an idle connection is used again', async (t) => {
  const ports = new Set<number | undefined>();
  const origin = await serveHttp(t, (request, response) => {
    ports.add(request.socket.remotePort);
    response.writeHead(204).end();
  });
  const requests = stream(t, origin);
  await requests.warmUp();
  for (let i = 0; i < 10; i++) await requests.send(monotonicMs());
  // The connection of the last answer may still be on its way back to the pool.
  assert.ok(ports.size <= 2, `${ports.size} connections`);
});

test('the warm-up is not counted, and waits longer than a request may take', async (t) => {
  let isFirst = true;
  const origin = await serveHttp(t, (_, response) => {
    setTimeout(() => response.writeHead(204).end(), isFirst ? 100 : 0);
    isFirst = false;
  });
  const requests = stream(t, origin, 5);
  await requests.warmUp();
  assert.equal(requests.summary().sent, 0);
});

test('the warm-up throws when nobody answers', async (t) => {
  const origin = await serveTcp(t, (socket) => socket.destroy());
  await assert.rejects(stream(t, origin).warmUp());
});

test('method, path, headers and body are those of the shape; every body is made anew', async (t) => {
  const seen: string[] = [];
  const origin = await serveHttp(t, async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    seen.push(`${request.method} ${request.url} ${request.headers['x-access-token']} ${body}`);
    response.writeHead(204).end();
  });
  let made = 0;
  const requests = new RequestStream(
    origin,
    { method: 'POST', path: '/init', headers: { 'x-access-token': 't' }, body: () => `${++made}` },
    20_000,
  );
  t.after(() => requests.close());
  await requests.send(monotonicMs());
  await requests.send(monotonicMs());
  assert.deepEqual(seen, ['POST /init t 1', 'POST /init t 2']);
});

test('a body that cannot be made is a failed request', async (t) => {
  const origin = await serveHttp(t, (_, response) => response.writeHead(204).end());
  const fail = (): never => {
    throw new Error('no');
  };
  const bodiless = new RequestStream(origin, { method: 'POST', path: '/', body: fail }, 20_000);
  t.after(() => bodiless.close());
  assert.equal(await bodiless.send(monotonicMs()), 'failed');
  assertAddsUp(bodiless.summary());
});

test('the longest answer since the last look, null where there was none', async (t) => {
  const origin = await serveHttp(t, (_, response) => response.writeHead(204).end());
  const requests = stream(t, origin);
  assert.equal(requests.takeLongest(), null);
  for (const lateMs of [2_000, 4_000, 3_000]) await requests.send(monotonicMs() - lateMs);
  const longest = requests.takeLongest();
  assert.ok(longest !== null && longest >= 4_000);
  assert.equal(requests.takeLongest(), null);
  await requests.send(monotonicMs() - 1_000);
  const next = requests.takeLongest();
  assert.ok(next !== null && next >= 1_000 && next < longest);
});
