import assert from 'node:assert/strict';
import { test } from 'node:test';
import { externalPollers } from '../../src/lane/outcome.js';

/** An estimate of so many at the most, at so many ms before the last sample; and a dump. */
const cases: [comment: string, peak: number, agoMs: number, dump: number, source: string][] = [
  ['the dump has more than any estimate', 590, 0, 600, 'stack-dump'],
  ['just now the estimate was higher, by less than it errs', 630, 900, 600, 'stack-dump'],
  ['just now it was higher than that', 632, 900, 600, 'kernel'],
  ['ten have ended just now', 10, 500, 0, 'kernel'],
  ['one has ended just now', 1, 500, 0, 'kernel'],
  ['7 % higher, half a minute ago', 640, 30_000, 600, 'kernel'],
  ['one higher, half a minute ago', 601, 30_000, 600, 'kernel'],
  ['as many, half a minute ago', 600, 30_000, 600, 'stack-dump'],
];
for (const [comment, pollersPeak, agoMs, pollers, source] of cases) {
  test(`pollers of a program, ${comment}: ${source}`, () => {
    const estimate = {
      pollersPeak,
      pollersPeakAtMs: 60_000 - agoMs,
      pollersLast: 500,
      lastMs: 60_000,
    };
    const dump = { pollers, bootPollers: 0 };
    assert.deepEqual(externalPollers(estimate, dump), {
      peak: source === 'kernel' ? pollersPeak : pollers,
      spawned: null,
      // At its own moment the dump is exact, whatever the peak was.
      atEnd: pollers,
      source,
    });
  });
}

test('without a dump the estimate stands, and without an estimate there is no peak', () => {
  const estimate = { pollersPeak: 9, pollersPeakAtMs: 1, pollersLast: 5, lastMs: 2 };
  assert.deepEqual(externalPollers(estimate, undefined), {
    peak: 9,
    spawned: null,
    atEnd: 5,
    source: 'kernel',
  });
  const nothing = { pollersPeak: null, pollersPeakAtMs: null, pollersLast: null, lastMs: 2 };
  const dump = { pollers: 3, bootPollers: 1 };
  assert.deepEqual(externalPollers(nothing, dump), {
    peak: null,
    spawned: null,
    atEnd: 4,
    source: null,
  });
});
