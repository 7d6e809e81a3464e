import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFault } from '../../src/mmds/fault-spec.js';
import { faults } from '../../src/mmds/faults/index.js';
import type { Mmds } from '../../src/mmds/mmds.js';
import { ask, METADATA, Raw, rawTo, serve, TOKEN_REQUEST, token, until } from './helpers.js';

const change = (mmds: Mmds, fault: string) => mmds.setFault(parseFault(fault, '--fault'));

/** How a connection attempt ends: `open`, or the code of its error. */
async function attempt(mmds: Mmds): Promise<string> {
  const raw = new Raw(mmds);
  try {
    await raw.connected();
    return 'open';
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code ?? 'unknown';
  } finally {
    raw.socket.destroy();
  }
}

async function assertHealthy(mmds: Mmds): Promise<void> {
  const headers = { Accept: 'application/json', 'X-metadata-token': await token(mmds) };
  const answer = await ask(mmds, 'GET', '/', headers);
  assert.deepEqual(JSON.parse(answer.body), METADATA);
}

test('after any fault is lifted MMDS answers again, on the same port', async (t) => {
  const mmds = await serve(t);
  const { port } = mmds;
  for (const [name, fault] of faults) {
    if (fault.loopbackRefusal !== null) continue;
    await change(mmds, name);
    const underWay = new Raw(mmds);
    t.after(() => underWay.socket.destroy());
    underWay.send(TOKEN_REQUEST);
    await change(mmds, 'none');
    await assertHealthy(mmds);
    underWay.socket.destroy();
    assert.equal(mmds.port, port);
  }
});

test('any fault can follow any other', async (t) => {
  const mmds = await serve(t);
  const names = [...faults]
    .filter(([, fault]) => fault.loopbackRefusal === null)
    .map(([name]) => name);
  for (const [index, name] of names.entries()) {
    for (const other of names.slice(index + 1)) {
      await change(mmds, name);
      await change(mmds, other);
    }
  }
  await change(mmds, 'none');
  await assertHealthy(mmds);
});

test('refused: nothing listens, open connections are reset, the port is known', async (t) => {
  const mmds = await serve(t, 'refused');
  assert.ok(mmds.port > 0);
  assert.equal(await attempt(mmds), 'ECONNREFUSED');
  await change(mmds, 'none');
  const raw = await rawTo(t, mmds);
  raw.send(TOKEN_REQUEST);
  await until('an answer', () => raw.text !== '');
  await change(mmds, 'refused');
  await until('a reset', () => raw.error === 'ECONNRESET');
  assert.equal(await attempt(mmds), 'ECONNREFUSED');
});

test('blackhole: refused on loopback with the reason; the present fault stays', async (t) => {
  const mmds = await serve(t);
  await assert.rejects(
    change(mmds, 'blackhole'),
    /does not work on loopback: .*Use --isolation netns/,
  );
  await assertHealthy(mmds);
});

test('hang: accepts and never answers; what it held is answered when it is lifted', async (t) => {
  const mmds = await serve(t, 'hang');
  const raw = await rawTo(t, mmds);
  raw.send(TOKEN_REQUEST);
  await until('the request', () => mmds.counters.requests === 1);
  const patient = await rawTo(t, mmds);
  patient.socket.end(TOKEN_REQUEST);
  await until('the end of one that gave up', () => patient.closed);
  assert.deepEqual([raw.text, patient.text, mmds.counters.answered], ['', '', 0]);
  await change(mmds, 'none');
  await until('the answer', () => raw.text.startsWith('HTTP/1.1 200 '));
  assert.equal(mmds.counters.requests, 2);
});

test('reset: RST right after the accept, and to what was open', async (t) => {
  const mmds = await serve(t);
  const open = await rawTo(t, mmds);
  await until('the accept', () => mmds.counters.accepted === 1);
  await change(mmds, 'reset');
  await until('a reset', () => open.error === 'ECONNRESET');
  const raw = new Raw(mmds);
  t.after(() => raw.socket.destroy());
  raw.send(TOKEN_REQUEST);
  await until('a reset', () => raw.closed);
  assert.ok(raw.error === 'ECONNRESET' || raw.error === 'EPIPE', raw.error);
  assert.deepEqual([mmds.counters.resets, mmds.counters.answered, raw.text], [2, 0, '']);
});

test('slow: answers late; the wait ends with the fault', async (t) => {
  const mmds = await serve(t, 'slow:150ms');
  const began = performance.now();
  await token(mmds);
  assert.ok(performance.now() - began >= 149);
  await change(mmds, 'slow:1h');
  const raw = await rawTo(t, mmds);
  raw.send(TOKEN_REQUEST);
  await until('the request', () => mmds.counters.requests === 2);
  await change(mmds, 'none');
  await until('the answer', () => raw.text.startsWith('HTTP/1.1 200 '));
});

test('http-error: its status with a body to everything', async (t) => {
  const mmds = await serve(t, 'http-error');
  for (const [method, path] of [
    ['PUT', '/latest/api/token'],
    ['GET', '/'],
    ['POST', '/x'],
  ] as const) {
    const answer = await ask(mmds, method, path);
    assert.deepEqual([answer.status, answer.body], [503, '503 Service Unavailable']);
  }
  await change(mmds, 'http-error:404');
  assert.equal((await ask(mmds, 'GET', '/')).status, 404);
});

test('hijack: 200 with HTML to everything', async (t) => {
  const mmds = await serve(t, 'hijack');
  for (const [method, path] of [
    ['PUT', '/latest/api/token'],
    ['GET', '/'],
    ['POST', '/x'],
  ] as const) {
    const answer = await ask(mmds, method, path);
    assert.deepEqual([answer.status, answer.headers['content-type']], [200, 'text/html']);
    assert.throws(() => JSON.parse(answer.body));
  }
});

test('empty-token: 200 without a body for the token alone', async (t) => {
  const mmds = await serve(t, 'empty-token');
  assert.equal(await token(mmds), '');
  assert.equal((await ask(mmds, 'PUT', '/latest/api/token')).status, 400);
  assert.equal((await ask(mmds, 'GET', '/')).status, 401);
  const v1 = await serve(t, 'empty-token', { version: 'V1' });
  assert.deepEqual(
    JSON.parse((await ask(v1, 'GET', '/', { Accept: 'application/json' })).body),
    METADATA,
  );
});

test('null: the empty store, whatever the metadata', async (t) => {
  const mmds = await serve(t, 'null');
  const headers = { Accept: 'application/json', 'X-metadata-token': await token(mmds) };
  assert.equal((await ask(mmds, 'GET', '/', headers)).body, 'null');
});

test('overload: an attempt stays in SYN_SENT, and gets in when the fault is lifted', async (t) => {
  const mmds = await serve(t, 'overload');
  const raw = new Raw(mmds);
  t.after(() => raw.socket.destroy());
  raw.send(TOKEN_REQUEST);
  const { localPort } = await synSent(raw, mmds.port);
  assert.ok(localPort > 0);
  assert.deepEqual([raw.closed, mmds.counters.accepted], [false, 0]);
  await change(mmds, 'none');
  // The kernel repeats the SYN after a second or so.
  await until('the answer', () => raw.text.startsWith('HTTP/1.1 200 '));
});

test('flap: down and up in turn, until another fault takes over', async (t) => {
  const mmds = await serve(t, 'flap:60ms/60ms');
  for (let turn = 0; turn < 3; turn++) {
    await until('down', async () => (await attempt(mmds)) === 'ECONNREFUSED');
    await until('up', async () => (await attempt(mmds)) === 'open');
  }
  await change(mmds, 'refused');
  const endsAt = performance.now() + 200;
  while (performance.now() < endsAt) assert.equal(await attempt(mmds), 'ECONNREFUSED');
});

/** Waits until the kernel lists the socket as SYN_SENT (state 02 in /proc/net/tcp). */
async function synSent(raw: Raw, port: number): Promise<{ localPort: number }> {
  const { readFile } = await import('node:fs/promises');
  const remote = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  let localPort = 0;
  await until('SYN_SENT', async () => {
    const rows = (await readFile('/proc/net/tcp', 'utf8'))
      .split('\n')
      .map((row) => row.trim().split(/\s+/));
    const row = rows.find((one) => one[2]?.endsWith(remote) && one[3] === '02');
    localPort = Number.parseInt(row?.[1]?.split(':')[1] ?? '0', 16);
    assert.equal(raw.error, undefined);
    return row !== undefined;
  });
  return { localPort };
}
