import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as numbers from '../../src/report/numbers.js';

const { formatCount, formatMs, formatRate, formatRatio, formatSeconds, formatValue, NO_DATA } =
  numbers;

const cases: [comment: string, shown: string, expected: string][] = [
  ['groups of three', formatCount(1_234_567), '1,234,567'],
  ['a rate', formatRate(23_812), '23,812/s'],
  ['a slow rate keeps a fraction', formatRate(0.5), '0.5/s'],
  [
    'three significant digits',
    [0.1234, 1.234, 12.34, 123.4, 1234].map(formatMs).join(' '),
    '0.123 1.23 12.3 123 1,234',
  ],
  ['no time at all', formatMs(0), '0'],
  ['seconds', formatSeconds(42.06), '42.1 s'],
  ['the storm against the guard', formatRatio(23_812, 40), '595x'],
  ['nearly the same', formatRatio(1.3, 1), '1.30x'],
  ['the guard against the storm', formatRatio(1, 600), '0.0017x'],
  ['nothing against something', formatRatio(0, 5), '0.00x'],
  ['over nothing', formatRatio(5, 0), NO_DATA],
  ['nothing over nothing', formatRatio(0, 0), NO_DATA],
  ['not measured', formatRatio(null, 5) + formatRatio(5, null), NO_DATA + NO_DATA],
  [
    'no figure',
    formatCount(null) + formatRate(undefined) + formatMs(Number.NaN),
    NO_DATA.repeat(3),
  ],
  ['infinite', formatSeconds(Number.POSITIVE_INFINITY), NO_DATA],
  ["a claim's number", formatValue(24_000) + formatValue(39.96), '24,00040.0'],
  ["a claim's text", formatValue('612 of 28,232'), '612 of 28,232'],
];
for (const [comment, shown, expected] of cases) {
  test(`numbers: ${comment}`, () => assert.equal(shown, expected));
}
