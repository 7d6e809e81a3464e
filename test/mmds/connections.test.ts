import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONNECTION_LIMIT } from '../../src/mmds/connections.js';
import { type Raw, rawTo, serve, TOKEN_REQUEST, until } from './helpers.js';

const answered = (raw: Raw) => raw.text.startsWith('HTTP/1.1 200 ');

test('close agent: the server sends no FIN before the client does, then closes', async (t) => {
  for (const [fault, close] of [
    ['none', 'auto'],
    ['http-error', 'auto'],
    ['hijack', 'agent'],
  ] as const) {
    const mmds = await serve(t, fault, { close });
    const raw = await rawTo(t, mmds);
    raw.send(TOKEN_REQUEST);
    await until('an answer', () => raw.text.includes('\r\n\r\n'));
    assert.match(raw.text, /Connection: keep-alive\r\n/);
    raw.send(TOKEN_REQUEST);
    await until('a second answer', () => mmds.counters.answered === 2);
    assert.equal(raw.ended, false, fault);
    raw.socket.end();
    await until('the end', () => raw.ended && raw.closed);
    assert.equal(raw.error, undefined);
  }
});

test('close mmds, and auto under hijack: the server closes first', async (t) => {
  for (const [fault, close] of [
    ['none', 'mmds'],
    ['hijack', 'auto'],
  ] as const) {
    const mmds = await serve(t, fault, { close });
    const raw = await rawTo(t, mmds);
    raw.send(TOKEN_REQUEST);
    await until('the end', () => raw.ended);
    assert.match(raw.text, /^HTTP\/1\.1 200 /);
    assert.match(raw.text, /Connection: close\r\n/);
    assert.equal(raw.error, undefined);
  }
});

test('a client that closes its half right after the request still gets the answer', async (t) => {
  for (const fault of ['none', 'slow:30ms']) {
    const mmds = await serve(t, fault);
    const raw = await rawTo(t, mmds);
    raw.socket.end(TOKEN_REQUEST);
    await until('the end', () => raw.closed);
    assert.ok(answered(raw), fault);
  }
});

test('a 31st connection waits for a place and gets the first that is free', async (t) => {
  const mmds = await serve(t);
  const first: Raw[] = [];
  for (let index = 0; index < CONNECTION_LIMIT; index++) first.push(await rawTo(t, mmds));
  const late = await rawTo(t, mmds);
  const gone = await rawTo(t, mmds);
  const last = await rawTo(t, mmds);
  for (const raw of [late, last]) raw.send(TOKEN_REQUEST);
  await until('three that wait', () => mmds.counters.waited === 3);
  // One that gives up is reset: it leaves no TIME_WAIT, as if its SYN had not been answered.
  gone.socket.end();
  await until('the reset', () => gone.error === 'ECONNRESET');
  first[0]?.send(TOKEN_REQUEST);
  await until('an answer', () => mmds.counters.answered === 1);
  assert.deepEqual([late.text, last.text], ['', '']);
  first[7]?.socket.end();
  await until('the first that waits', () => answered(late));
  assert.equal(last.text, '');
  first[8]?.socket.resetAndDestroy();
  await until('the next', () => answered(last));
  assert.deepEqual([mmds.counters.evicted, mmds.counters.accepted], [0, CONNECTION_LIMIT + 3]);
});

test('a 31st connection evicts one that has been silent for long', async (t) => {
  let now = 0;
  const mmds = await serve(t, 'none', {}, { now: () => now });
  const first: Raw[] = [];
  for (let index = 0; index < CONNECTION_LIMIT; index++) first.push(await rawTo(t, mmds));
  await until('all', () => mmds.counters.accepted === CONNECTION_LIMIT);
  now += 10_001;
  const idle = first[3];
  for (const raw of first) if (raw !== idle) raw.send(TOKEN_REQUEST);
  await until('29 answers', () => mmds.counters.answered === CONNECTION_LIMIT - 1);
  const late = await rawTo(t, mmds);
  late.send(TOKEN_REQUEST);
  await until('its answer', () => answered(late));
  await until('the eviction', () => idle?.error === 'ECONNRESET');
  assert.deepEqual([mmds.counters.evicted, mmds.counters.waited], [1, 0]);
  assert.equal(first.filter((raw) => raw.error !== undefined).length, 1);
});

test('the limit of 30 is only where Firecracker itself answers', async (t) => {
  for (const fault of ['hijack', 'http-error', 'empty-token', 'hang']) {
    const mmds = await serve(t, fault);
    for (let index = 0; index < CONNECTION_LIMIT + 5; index++) await rawTo(t, mmds);
    await until('all', () => mmds.counters.accepted === CONNECTION_LIMIT + 5);
    assert.equal(mmds.counters.waited, 0, fault);
  }
  for (const fault of ['null', 'slow']) {
    const mmds = await serve(t, fault);
    for (let index = 0; index < CONNECTION_LIMIT + 5; index++) await rawTo(t, mmds);
    await until('five that wait', () => mmds.counters.waited === 5);
  }
});
