import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { headEnd, parseHead } from '../../src/mmds/request.js';
import { rawTo, serve, TOKEN_REQUEST, until } from './helpers.js';

const bytes = fc
  .uint8Array({ maxLength: 4000 })
  .map((array) => Buffer.from(array).toString('latin1'));
/** Text that is nearly a request. */
const nearly = fc
  .array(
    fc.constantFrom(
      'GET ',
      'PUT ',
      'POST ',
      '/',
      'http://',
      ' HTTP/1.1',
      ' HTTP/1.0',
      '\r\n',
      '\n',
      '\r',
      ':',
      'Accept: ',
      'Content-Length: ',
      'Accept-Encoding:',
      'application/json',
      '60',
      ' ',
      '\xc3',
      '\xa4',
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));

test('the parser takes or refuses any bytes, and never throws', () => {
  fc.assert(
    fc.property(fc.oneof(bytes, nearly), (text) => {
      const read = parseHead(text);
      if ('message' in read) assert.ok(read.status === 400 || read.status === 501);
      else assert.ok(text.startsWith(`${read.method} `));
    }),
  );
});

test('the end of a head is the first empty line, however the bytes are split', () => {
  fc.assert(
    fc.property(fc.oneof(bytes, nearly), (text) => {
      const end = headEnd(text);
      const first = /\n\r?\n/.exec(text);
      assert.equal(end, first ? first.index + first[0].length : -1);
    }),
  );
});

test('what the parser refuses, and how', () => {
  const rows: [head: string, status: number, message: string | RegExp][] = [
    ['\r\n\r\n', 400, 'Invalid request.'],
    ['GET /\r\n\r\n', 400, 'Invalid request.'],
    ['garbage without any meaning\r\n\r\n', 501, 'Unsupported HTTP method.'],
    ['garbagewithoutanyspace\r\n\r\n', 400, 'Invalid request.'],
    ['get / HTTP/1.1\r\n\r\n', 501, 'Unsupported HTTP method.'],
    ['HEAD / HTTP/1.1\r\n\r\n', 501, 'Unsupported HTTP method.'],
    ['GET / HTTP/2.0\r\n\r\n', 501, 'Unsupported HTTP version.'],
    ['GET  HTTP/1.1 x\r\n\r\n', 400, 'Empty URI not allowed.'],
    ['GET /\xff HTTP/1.1\r\n\r\n', 400, 'Cannot parse URI as UTF-8.'],
    ['GET / HTTP/1.1\r\nA: \xff\r\n\r\n', 400, 'Invalid request.'],
    ['GET / HTTP/1.1\r\nno colon\r\n\r\n', 400, /incorrectly formatted\. Key: no colon$/],
    ['GET / HTTP/1.1\nHost: x\n\n', 400, 'Invalid request.'], // lines end in CR LF
    ['GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n', 400, /Invalid value/],
    ['PUT / HTTP/1.1\r\nContent-Length: 3\r\n\r\n', 400, 'Invalid request.'], // no bodies
    ['GET / HTTP/1.1\r\nAccept-Encoding: identity;q=0\r\n\r\n', 400, /Accept-Encoding/],
  ];
  for (const [head, status, message] of rows) {
    const read = parseHead(head);
    assert.ok('message' in read, head);
    assert.equal(read.status, status, head);
    if (typeof message === 'string') assert.equal(read.message, message, head);
    else assert.match(read.message, message, head);
  }
});

test('a request in single bytes, and two requests in one packet, are answered', async (t) => {
  const mmds = await serve(t);
  const raw = await rawTo(t, mmds);
  raw.socket.setNoDelay(true);
  for (const byte of TOKEN_REQUEST) {
    raw.send(byte);
    await new Promise(setImmediate);
  }
  await until('an answer', () => raw.text.includes('\r\n\r\n'));
  raw.send(TOKEN_REQUEST + TOKEN_REQUEST);
  await until('three answers', () => raw.text.split('HTTP/1.1 200 ').length === 4);
  assert.equal(mmds.counters.requests, 3);
});

test('garbage is answered 400, and 2500 bytes without an end are reset', async (t) => {
  const mmds = await serve(t);
  const garbage = await rawTo(t, mmds);
  garbage.send('\x00\x01\xff garbage \r\n\r\n');
  await until('an answer', () => garbage.text.startsWith('HTTP/1.1 400 '));
  const long = await rawTo(t, mmds);
  long.send('x'.repeat(2499));
  await new Promise(setImmediate);
  assert.equal(long.closed, false);
  long.send('x');
  await until('a reset', () => long.error === 'ECONNRESET');
  const fits = await rawTo(t, mmds);
  const start = 'GET / HTTP/1.1\r\nA: ';
  fits.send(`${start}${'x'.repeat(2500 - start.length - 4)}\r\n\r\n`);
  await until('an answer', () => fits.text.startsWith('HTTP/1.1 401 '));
});

test('a client that asks without end and reads nothing is not answered without end', async (t) => {
  const mmds = await serve(t);
  const raw = await rawTo(t, mmds);
  raw.socket.pause();
  const many = TOKEN_REQUEST.repeat(100_000);
  raw.send(many);
  let before = -1;
  await until('the server to stop answering', async () => {
    const now = mmds.counters.answered;
    const still = now > 0 && now === before;
    before = now;
    await new Promise((resolve) => setTimeout(resolve, 200));
    return still;
  });
  assert.ok(mmds.counters.answered < 100_000);
  raw.socket.resume();
  await until('the rest', () => mmds.counters.answered === 100_000);
});
