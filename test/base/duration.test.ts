import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  beginsWithin,
  formatDuration,
  LONGEST_MS,
  parseDuration,
} from '../../src/base/duration.js';
import { assertUsageError } from './usage-error.js';

const good: [text: string, ms: number][] = [
  ['100ms', 100],
  ['1m30s', 90_000],
  ['1.5s', 1_500],
  ['250us', 0.25],
  ['250µs', 0.25],
  ['1h', 3_600_000],
  ['2m', 120_000],
  ['1h1m1s1ms1us', 3_661_001.001],
  ['.5s', 500],
  ['0m5s', 5_000],
  ['00100ms', 100],
  [' 5s ', 5_000],
  ['24h', 86_400_000],
  ['576h', LONGEST_MS],
  // In binary 16.1 · 1000 is a little more than 16100: at 100 ms that would be one /init too many.
  ['16.1s', 16_100],
  ['2.01s', 2_010],
  ['0.7ms', 0.7],
  ['700us', 0.7],
];
for (const [text, ms] of good) {
  test(`parseDuration: ${JSON.stringify(text)} is ${ms} ms`, () => {
    assert.equal(parseDuration(text, '--interval'), ms);
  });
}

const bad: [comment: string, text: string, says: RegExp][] = [
  ['zero', '0', /more than 0/],
  ['zero with a unit', '0s', /more than 0/],
  ['zero in parts', '0m0s', /more than 0/],
  ['zero with a point', '0.0', /more than 0/],
  ['a negative', '-5s', /more than 0/],
  ['a bare negative', '-5', /more than 0/],
  ['nothing', '', /empty/],
  ['blanks', '  \t', /empty/],
  ['a word', 'abc', /not a duration/],
  ['an unknown unit', '10 parsecs', /not a duration/],
  ['an unknown unit without a blank', '10parsecs', /not a duration/],
  ['a bare number is not guessed', '90', /90s or 90ms\?/],
  ['a bare fraction is not guessed', '1.5', /1\.5s or 1\.5ms\?/],
  ['a bare fraction without a zero', '.5', /\.5s or \.5ms\?/],
  ['a number at the end', '1m30', /not a duration/],
  ['units that rise', '30s1m', /not a duration/],
  ['a unit twice', '5s5s', /not a duration/],
  ['days', '1d', /not a duration/],
  ['exponents', '1e9h', /not a duration/],
  ['decimal commas', '1,5s', /not a duration/],
  ['capitals', '5S', /not a duration/],
  ['infinity', 'Infinity', /not a duration/],
  ['more than 24 days', '577h', /longer than 24 days/],
  ['a number past all numbers', `${'9'.repeat(400)}h`, /longer than 24 days/],
  ['less than the clock can tell', '0.0004us', /shorter than 1 ns/],
];
for (const [comment, text, says] of bad) {
  test(`parseDuration refuses ${comment}: ${JSON.stringify(text.slice(0, 20))}`, () => {
    const error = assertUsageError(() => parseDuration(text, '--interval'));
    assert.match(error.message, says);
    // The flag, what was typed, and a good example.
    assert.match(error.message, /^--interval/);
    if (text.trim() !== '') assert.ok(error.message.includes(text.trim().slice(0, 20)));
    assert.match(error.mend ?? '', /--interval 100ms/);
  });
}

test('parseDuration never throws anything but a UsageError of one short line', () => {
  const nearly = fc.string({ unit: fc.constantFrom(...'0123456789.-+eE, usmhµ\n\u2028') });
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 3_000 }), nearly), (text) => {
      try {
        const ms = parseDuration(text, '--interval');
        assert.ok(ms > 0 && ms <= LONGEST_MS);
      } catch {
        assertUsageError(() => parseDuration(text, '--interval'));
      }
    }),
    { numRuns: 2_000 },
  );
});

const nanoseconds = fc.bigInt({ min: 1n, max: BigInt(LONGEST_MS) * 1_000_000n });

test('formatDuration writes what parseDuration reads back, within its three decimals', () => {
  fc.assert(
    fc.property(nanoseconds, (ns) => {
      const ms = Number(ns) / 1e6;
      const text = formatDuration(ms);
      // The last part is rounded to a thousandth of its unit.
      const unit = ms < 1 ? 1e-3 : ms < 1e3 ? 1 : 1e3;
      const read = Math.min(parseDuration(text, 'it'), LONGEST_MS);
      assert.ok(Math.abs(read - ms) <= 0.5e-3 * unit + 1e-6, `${ms} -> ${text} -> ${read}`);
    }),
  );
});

test('formatDuration and parseDuration are exact for whole milliseconds', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: LONGEST_MS }), (ms) => {
      assert.equal(parseDuration(formatDuration(ms), 'it'), ms);
    }),
  );
});

const written: [ms: number, text: string][] = [
  [100, '100ms'],
  [90_000, '1m30s'],
  [1_500, '1.5s'],
  [0.25, '250us'],
  [3_600_000, '1h'],
  [60_000, '1m'],
  [3_601_000, '1h1s'],
  [0.000_001, '0.001us'],
  // What rounds up to the next unit is written in it.
  [59_999.999_9, '1m'],
  [119_999.999_9, '2m'],
  [3_599_999.999_9, '1h'],
  [999.999_9, '1s'],
  [0.999_999_9, '1ms'],
];
for (const [ms, text] of written) {
  test(`formatDuration: ${ms} ms is ${text}`, () => assert.equal(formatDuration(ms), text));
}

test('beginsWithin is the exact ceil(length / interval) for all whole nanoseconds', () => {
  fc.assert(
    fc.property(nanoseconds, nanoseconds, (length, interval) => {
      const exact = (length + interval - 1n) / interval;
      assert.equal(beginsWithin(Number(length) / 1e6, Number(interval) / 1e6), Number(exact));
    }),
  );
});

test('beginsWithin is exact at whole multiples, where the quotient of two fractions is not', () => {
  const interval = fc.bigInt({ min: 1n, max: 10_000_000_000n });
  const count = fc.bigInt({ min: 1n, max: 100_000n });
  fc.assert(
    fc.property(interval, count, (ns, n) => {
      assert.equal(beginsWithin(Number(ns * n) / 1e6, Number(ns) / 1e6), Number(n));
    }),
    { numRuns: 1_000 },
  );
});
