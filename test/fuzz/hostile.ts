import assert from 'node:assert/strict';
import fc from 'fast-check';
import { messageOf, UsageError } from '../../src/base/errors.js';

/** Text that takes effect where it is not kept from it: in a terminal, in HTML, in markdown, in JavaScript. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '\x1b[2J\x1b[31mred',
    '\x1b]0;title\x07',
    '\x9b31m',
    'a\r\nb\tc\0d',
    '\u202eright to left\u2066',
    '\ud800 half',
    'e\u0301\u0301\u0301\u0301',
    '<img src=x onerror=canary()>',
    '</script><script>canary()</script>',
    '"><svg onload=canary()>',
    '[link](https://evil.example)',
    '| cell | `code` |',
    '@everyone #1 www.evil.example',
    '__proto__',
    'constructor',
    '../../etc/passwd',
    '%s%n$(id)`id`',
    '',
  ),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.integer({ min: 1, max: 10_000 }).map((length) => 'x'.repeat(length)),
);

/** Numbers at the edges of what a double, a counter or a timer holds. */
export const hostileNumber: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(
    0,
    -0,
    1,
    -1,
    1e-300,
    1e-9,
    0.1,
    1e15,
    1e16,
    1e21,
    1e308,
    2 ** 31,
    2 ** 53,
    5e-324,
  ),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

/** Any JSON value that does not belong there. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  hostileNumber,
  fc.constantFrom(null, true, false, [], {}),
  fc.integer({ min: 1, max: 300 }).map((depth) => {
    let value: unknown = 1;
    for (let i = 0; i < depth; i++) value = i % 2 ? [value] : { deep: value };
    return value;
  }),
);

type Path = (string | number)[];

/** The places of a document: a random walk from its root. */
function pathIn(document: unknown, turns: readonly number[]): Path {
  const path: Path = [];
  let at = document;
  for (const turn of turns) {
    if (typeof at !== 'object' || at === null) break;
    const keys = Array.isArray(at) ? [...at.keys()] : Object.keys(at);
    const key = keys[turn % Math.max(1, keys.length)];
    if (key === undefined) break;
    path.push(key);
    at = (at as Record<string | number, unknown>)[key];
  }
  return path;
}

/** The places of all texts in a document: where what takes effect can hide. */
function textsIn(document: unknown, path: Path = []): Path[] {
  if (typeof document === 'string') return [path];
  if (typeof document !== 'object' || document === null) return [];
  const keys = Array.isArray(document) ? [...document.keys()] : Object.keys(document);
  return keys.flatMap((key) =>
    textsIn((document as Record<string | number, unknown>)[key], [...path, key]),
  );
}

function replaceAt(document: unknown, path: Path, value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const copy = (Array.isArray(document) ? [...document] : { ...(document as object) }) as Record<
    string | number,
    unknown
  >;
  if (value === undefined && rest.length === 0) delete copy[key];
  else copy[key] = replaceAt(copy[key], rest, value);
  return copy;
}

/** A number of about the size of the one that stood there, or a text in the place of a text. */
function likeWise(old: unknown, number: number, text: string): unknown {
  if (typeof old === 'number') return number;
  if (typeof old === 'string') return text;
  if (typeof old === 'boolean') return !old;
  return null;
}

/** A valid document with one to four places changed, mostly to values of the right type. */
export function mutated(document: unknown): fc.Arbitrary<unknown> {
  const change = fc.record({
    turns: fc.array(fc.nat(1000), { minLength: 1, maxLength: 6 }),
    kind: fc.constantFrom('like', 'like', 'text', 'text', 'any', 'removed'),
    number: hostileNumber,
    text: hostileText,
    value: hostileValue,
  });
  return fc.array(change, { maxLength: 4 }).map((changes) =>
    changes.reduce((changed, { turns, kind, number, text, value }) => {
      const texts = kind === 'text' ? textsIn(changed) : [];
      const path = texts[(turns[0] ?? 0) % Math.max(1, texts.length)] ?? pathIn(changed, turns);
      const old = path.reduce<unknown>(
        (at, key) => (at as Record<string | number, unknown>)[key],
        changed,
      );
      if (path.length === 0) return changed;
      if (kind === 'removed') return replaceAt(changed, path, undefined);
      return replaceAt(changed, path, kind === 'any' ? value : likeWise(old, number, text));
    }, document),
  );
}

/** Bytes of examples with some of them changed, cut off, doubled, or bytes that are nothing at all. */
export function mutatedBytes(examples: readonly (string | Buffer)[]): fc.Arbitrary<Buffer> {
  const edit = fc.record({
    at: fc.nat(),
    kind: fc.constantFrom('set', 'insert', 'cut', 'drop', 'double'),
    bytes: fc.oneof(
      fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
      hostileText.map((text) => Buffer.from(text)),
      hostileNumber.map((number) => Buffer.from(`${number}`)),
      fc
        .constantFrom('\n', '\r\n', '\r\n\r\n', '{', '"', ':', '\0')
        .map((text) => Buffer.from(text)),
    ),
  });
  return fc.oneof(
    {
      weight: 9,
      arbitrary: fc
        .tuple(fc.constantFrom(...examples), fc.array(edit, { maxLength: 6 }))
        .map(([example, edits]) => edits.reduce(edited, Buffer.from(example as string))),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)) },
  );
}

function edited(bytes: Buffer, edit: { at: number; kind: string; bytes: Buffer }): Buffer {
  const at = edit.at % (bytes.length + 1);
  const [head, tail] = [bytes.subarray(0, at), bytes.subarray(at)];
  switch (edit.kind) {
    case 'set':
      return Buffer.concat([head, edit.bytes, tail.subarray(edit.bytes.length)]);
    case 'insert':
      return Buffer.concat([head, edit.bytes, tail]);
    case 'cut':
      return head;
    case 'drop':
      return Buffer.concat([head, tail.subarray(edit.bytes.length + 1)]);
    default:
      return Buffer.concat([bytes, tail]);
  }
}

/** A text in pieces, as a socket or a pipe gives it. */
export function inPieces<T extends Buffer | string>(whole: T, cuts: readonly number[]): T[] {
  const sorted = cuts.map((cut) => cut % (whole.length + 1)).sort((a, b) => a - b);
  return [...sorted, whole.length].map((end, i) => whole.slice(sorted[i - 1] ?? 0, end) as T);
}

/** What nobody may print: control characters, half surrogates, numbers that are none. */
export function assertPlain(text: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what must not pass
  const control = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/.exec(text);
  assert.equal(control, null, `a control character: ${JSON.stringify(around(text, control))}`);
  assert.doesNotMatch(text, /\p{Cs}/u, 'half a surrogate');
  const word = /\bNaN\b|\bInfinity\b|\bundefined\b|\[object /.exec(text);
  assert.equal(word, null, `no figure: ${JSON.stringify(around(text, word))}`);
}

/** HTML and markdown: no tag from outside. */
export function assertNoTags(text: string): void {
  const tag = /<(?:img|svg)\b|<script>canary/i.exec(text);
  assert.equal(tag, null, `a tag from outside: ${JSON.stringify(around(text, tag))}`);
}

/** The only way to refuse: one line for people. */
export function assertRefusal(thrown: unknown): void {
  assert.ok(thrown instanceof UsageError, `${thrown instanceof Error ? thrown.stack : thrown}`);
  const message = messageOf(thrown);
  assertPlain(message);
  assert.ok(!message.includes('\n') && message.length < 2_000, `not one line: ${message}`);
}

function around(text: string, match: RegExpExecArray | null): string {
  return match ? text.slice(Math.max(0, match.index - 60), match.index + 40) : '';
}

/** The same of markdown, where nothing in a code span takes effect. */
export function assertInertMarkdown(text: string): void {
  assertNoTags(text.replaceAll(/(`+)[^\n]*?\1/g, ''));
}
