import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatSize, parseSize } from '../../src/base/size.js';
import { assertUsageError } from './usage-error.js';

const MOST = 64 * 2 ** 40;

const good: [text: string, bytes: number][] = [
  ['512MiB', 512 * 2 ** 20],
  ['1GiB', 2 ** 30],
  ['1.5GB', 1.5e9],
  ['1kB', 1_000],
  ['1KB', 1_000],
  ['1KiB', 1_024],
  ['100B', 100],
  ['2 TiB', 2 * 2 ** 40],
  [' 64MiB ', 64 * 2 ** 20],
  ['64TiB', MOST],
  // In binary 1.001 · 1000 is a little less.
  ['1.001kB', 1_001],
];
for (const [text, bytes] of good) {
  test(`parseSize: ${JSON.stringify(text)} is ${bytes} bytes`, () => {
    assert.equal(parseSize(text, '--guest-memory'), bytes);
  });
}

const bad: [comment: string, text: string, says: RegExp][] = [
  ['zero', '0MiB', /more than 0/],
  ['less than a byte', '0.1B', /more than 0/],
  ['a negative', '-1GiB', /not a size/],
  ['nothing', '', /not a size/],
  ['a word', 'abc', /not a size/],
  ['a bare number', '512', /512MiB or 512GiB\?/],
  ['an unknown unit', '1PiB', /unknown unit/],
  ['a unit in other capitals', '1gib', /unknown unit/],
  ['half a unit', '1G', /unknown unit/],
  // Names that every object has must not pass as units.
  ['a name of Object.prototype', '1constructor', /unknown unit/],
  ['an exponent', '1e3GiB', /not a size/],
  ['more than 64 TiB', '65TiB', /more than 64TiB/],
  ['a number past all numbers', `${'9'.repeat(400)}GiB`, /more than 64TiB/],
];
for (const [comment, text, says] of bad) {
  test(`parseSize refuses ${comment}: ${JSON.stringify(text.slice(0, 20))}`, () => {
    const error = assertUsageError(() => parseSize(text, '--guest-memory'));
    assert.match(error.message, says);
    assert.match(error.message, /^--guest-memory/);
    assert.match(error.mend ?? '', /--guest-memory 512MiB/);
  });
}

test('parseSize never throws anything but a UsageError of one short line', () => {
  const nearly = fc.string({ unit: fc.constantFrom(...'0123456789. KMGTiB\n\u2028-+') });
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 3_000 }), nearly), (text) => {
      try {
        const bytes = parseSize(text, '--guest-memory');
        assert.ok(Number.isInteger(bytes) && bytes > 0 && bytes <= MOST);
      } catch {
        assertUsageError(() => parseSize(text, '--guest-memory'));
      }
    }),
    { numRuns: 2_000 },
  );
});

const written: [bytes: number, text: string][] = [
  [0, '0 B'],
  [100, '100 B'],
  [1_023, '1023 B'],
  [2 ** 30, '1 GiB'],
  [512 * 2 ** 20, '512 MiB'],
  [59_034_829, '56.3 MiB'],
  [2 ** 50, '1024 TiB'],
  // What rounds up to the next unit is written in it.
  [2 ** 30 - 1, '1 GiB'],
];
for (const [bytes, text] of written) {
  test(`formatSize: ${bytes} bytes are ${text}`, () => assert.equal(formatSize(bytes), text));
}

test('formatSize writes what parseSize reads back, within its one decimal', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: MOST }), (bytes) => {
      const read = parseSize(formatSize(bytes), 'it');
      assert.ok(Math.abs(read - bytes) <= bytes * 0.05, `${bytes} -> ${read}`);
    }),
  );
});
