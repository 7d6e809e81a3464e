import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type HttpResponse, HttpResponseReader } from '../../src/agents/http-response.js';

interface Read {
  response: { status: number; body: string } | undefined;
  /** Whether it took the end of the connection to know. */
  atEnd: boolean;
}

/** Reads pieces until there is an answer, and then the end of the connection. */
function readAll(pieces: readonly Buffer[]): Read {
  const reader = new HttpResponseReader();
  for (const piece of pieces) {
    const response = reader.push(piece);
    if (response) return { response: plain(response), atEnd: false };
  }
  const response = reader.end();
  return { response: response && plain(response), atEnd: true };
}

function plain({ status, body }: HttpResponse): { status: number; body: string } {
  return { status, body: body.toString('latin1') };
}

const whole = (text: string): Read => readAll([Buffer.from(text, 'latin1')]);

const table: [
  comment: string,
  text: string,
  status: number | null,
  body: string,
  atEnd: boolean,
][] = [
  ['content-length', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello', 200, 'hello', false],
  [
    'any case, any blanks',
    'HTTP/1.1 200 OK\r\ncontent-LENGTH:\t 5 \r\n\r\nhello',
    200,
    'hello',
    false,
  ],
  ['length of 0', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', 200, '', false],
  ['more than its length', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhello', 200, 'he', false],
  ['less than its length', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello', null, '', true],
  ['until the end', 'HTTP/1.1 200 OK\r\n\r\nhello', 200, 'hello', true],
  ['HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\nhello', 200, 'hello', true],
  ['no reason', 'HTTP/1.1 503\r\nContent-Length: 1\r\n\r\nx', 503, 'x', false],
  ['an empty reason', 'HTTP/1.1 503 \r\nContent-Length: 1\r\n\r\nx', 503, 'x', false],
  ['204 has no body', 'HTTP/1.1 204 No Content\r\n\r\n', 204, '', false],
  ['204 whatever it says', 'HTTP/1.1 204 X\r\nContent-Length: 5\r\n\r\nhello', 204, '', false],
  ['304 has no body', 'HTTP/1.1 304 X\r\nContent-Length: 5\r\n\r\n', 304, '', false],
  [
    'chunks',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n',
    200,
    'abc0123456789',
    false,
  ],
  [
    'chunks with extensions',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nTrailer: t\r\n\r\n',
    200,
    'abc',
    false,
  ],
  [
    'chunks beat a length',
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
    200,
    'abc',
    false,
  ],
  [
    'chunks that are cut off',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab',
    null,
    '',
    true,
  ],
  [
    'a last chunk without the empty line',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nTrailer: t\r\n',
    null,
    '',
    true,
  ],
  [
    'no last chunk',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n',
    null,
    '',
    true,
  ],
  [
    'interim answers',
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
    200,
    'ok',
    false,
  ],
  ['an interim answer alone', 'HTTP/1.1 100 Continue\r\n\r\n', null, '', true],
  ['half a head', 'HTTP/1.1 200 OK\r\nContent-Le', null, '', true],
  ['nothing', '', null, '', true],
  [
    'a header that only ends so',
    'HTTP/1.1 200 OK\r\nX-Content-Length: 1\r\n\r\nhello',
    200,
    'hello',
    true,
  ],
];
for (const [comment, text, status, body, atEnd] of table) {
  test(`an answer: ${comment}`, () => {
    const response = status === null ? undefined : { status, body };
    assert.deepEqual(whole(text), { response, atEnd });
  });

  test(`an answer byte by byte: ${comment}`, () => {
    const bytes = [...Buffer.from(text, 'latin1')].map((byte) => Buffer.from([byte]));
    const read = readAll(bytes);
    assert.deepEqual(read.response, whole(text).response);
  });
}

const refused: [comment: string, text: string][] = [
  ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n\r\n'],
  ['another version', 'HTTP/2.0 200 OK\r\n\r\n'],
  ['no status', 'HTTP/1.1 OK\r\n\r\n'],
  ['a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n'],
  ['something before it', ' HTTP/1.1 200 OK\r\n\r\n'],
  ['an empty head', '\r\n\r\n'],
  ['a chunk without a size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n'],
  ['a chunk of a negative size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n'],
  ['a chunk of a huge size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n123456789\r\n'],
  [
    'a chunk longer than its size',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcdef\r\n0\r\n\r\n',
  ],
];
for (const [comment, text] of refused) {
  test(`no answer: ${comment}`, () => assert.throws(() => whole(text), Error));
}

const body = fc.string({ unit: 'binary-ascii', maxLength: 200 });
const filler = fc.array(fc.constantFrom('Server: x', 'X-A: b: c', 'Date: now', 'Empty:'));
const status = fc.constantFrom(200, 201, 400, 401, 404, 500, 503, 204, 304);
const interim = fc.array(
  fc.constantFrom('HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 103 E\r\nA: b\r\n\r\n'),
  {
    maxLength: 3,
  },
);
const framing = fc.constantFrom('length', 'chunked', 'close');

/** A valid answer, and its status and body. */
const valid = fc
  .record({ status, body, filler, interim, framing, cut: fc.nat(200) })
  .map(({ status, body, filler, interim, framing, cut }) => {
    const isEmpty = status === 204 || status === 304;
    const content = isEmpty ? '' : body;
    const headers: string[] = [...filler];
    let sent = content;
    if (framing === 'length') headers.push(`Content-Length: ${content.length}`);
    if (framing === 'chunked' && !isEmpty) {
      headers.push('Transfer-Encoding: chunked');
      const chunks = [content.slice(0, cut), content.slice(cut)].filter((chunk) => chunk !== '');
      sent = `${chunks.map((one) => `${one.length.toString(16)}\r\n${one}\r\n`).join('')}0\r\n\r\n`;
    }
    const head = [`HTTP/1.1 ${status} Reason`, ...headers].join('\r\n');
    return {
      text: `${interim.join('')}${head}\r\n\r\n${sent}`,
      response: { status, body: content },
    };
  });

test('a valid answer is the same in one piece and split anywhere', () => {
  fc.assert(
    fc.property(valid, fc.array(fc.nat(400), { maxLength: 12 }), ({ text, response }, cuts) => {
      assert.deepEqual(whole(text).response, response);
      const bytes = Buffer.from(text, 'latin1');
      const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort(
        (a, b) => a - b,
      );
      const pieces = at.slice(1).map((end, i) => bytes.subarray(at[i], end));
      assert.deepEqual(readAll(pieces).response, response);
    }),
    { numRuns: 500 },
  );
});

test('garbage never throws anything but an Error, and never hangs', () => {
  const nearly = fc
    .array(
      fc.constantFrom(
        'HTTP/1.1 ',
        '200',
        ' OK',
        '\r\n',
        '\r\n\r\n',
        'Content-Length: ',
        'Transfer-Encoding: chunked',
        '0',
        'f',
        '5',
        '99999999',
        ';',
        ':',
        '\u0000',
        '100',
      ),
      { maxLength: 30 },
    )
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(
      fc.array(fc.oneof(nearly, fc.string({ unit: 'binary-ascii', maxLength: 300 })), {
        maxLength: 8,
      }),
      (pieces) => {
        try {
          readAll(pieces.map((piece) => Buffer.from(piece, 'latin1')));
        } catch (thrown) {
          assert.ok(thrown instanceof Error && !(thrown instanceof assert.AssertionError));
          // Running out of stack is an Error too, and no answer.
          assert.ok(!(thrown instanceof RangeError), String(thrown));
        }
      },
    ),
    { numRuns: 2_000 },
  );
});

test('a long row of interim answers is read like a short one', () => {
  const interims = 'HTTP/1.1 100 C\r\n\r\n'.repeat(50_000);
  const last = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
  assert.deepEqual(whole(interims + last).response, { status: 200, body: 'ok' });
});

const MIB = 1 << 20;
const oversized: [comment: string, text: string][] = [
  ['a body', `HTTP/1.1 200 OK\r\nContent-Length: ${2 * MIB}\r\n\r\n`],
  ['a body until the end', 'HTTP/1.1 200 OK\r\n\r\n'],
  ['a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n'],
  ['a head', 'HTTP/1.1 200 OK\r\nX: '],
  ['a status line', ''],
];
for (const [comment, text] of oversized) {
  test(`${comment} of more than a MiB is refused`, () => {
    const reader = new HttpResponseReader();
    reader.push(Buffer.from(text, 'latin1'));
    assert.throws(() => {
      for (let i = 0; i <= 16; i++) reader.push(Buffer.alloc(65_536, 'x'));
    }, /more than 1 MiB/);
  });
}

test('a body of just under a MiB is read', () => {
  const body = 'x'.repeat(MIB - 100);
  const text = `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  assert.equal(whole(text).response?.body.length, body.length);
});
