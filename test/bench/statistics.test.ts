import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { percentile, ratios, spread } from '../../bench/statistics.js';
import { slips } from '../../bench/tables/punctuality.js';

const figures = fc.array(fc.double({ min: 1e-6, max: 1e9, noNaN: true }), { minLength: 1 });

test('a spread holds its median between its ends, whatever the order', () => {
  fc.assert(
    fc.property(figures, (values) => {
      const { median, min, max } = spread(values);
      assert.ok(min <= median && median <= max);
      assert.deepEqual(spread([...values].reverse()), { median, min, max });
      assert.ok(values.filter((one) => one < median).length <= values.length / 2);
      assert.ok(values.filter((one) => one > median).length <= values.length / 2);
    }),
  );
});

test('a spread of nothing, or of what is no number, is refused', () => {
  assert.throws(() => spread([]), /no spread/);
  assert.throws(() => spread([1, Number.NaN]), /no spread/);
  assert.throws(() => ratios([1], [0]), /no spread/);
  assert.throws(() => ratios([1, 2], [1]), /as many/);
});

test('ratios go repeat by repeat, not by the medians', () => {
  // A machine that was three times as slow in the second repeat changes no ratio.
  assert.deepEqual(ratios([300, 100, 300], [200, 66.666_666_666_666_67, 200]), {
    median: 1.5,
    min: 1.5,
    max: 1.5,
  });
});

test('a percentile is a value that was measured, by the nearest rank', () => {
  const hundred = Array.from({ length: 100 }, (_, i) => i + 1);
  assert.equal(percentile(hundred, 0.99), 99);
  assert.equal(percentile(hundred, 1), 100);
  assert.equal(percentile([7], 0.99), 7);
  assert.throws(() => percentile([], 0.5));
});

test('slips: an even grid has none, wherever it begins; a burst is late by all that it skipped', () => {
  fc.assert(
    fc.property(fc.nat(1e6), fc.integer({ min: 2, max: 50 }), (beginMs, count) => {
      const even = Array.from({ length: count }, (_, i) => beginMs + i * 100);
      assert.deepEqual(
        slips(even),
        even.map(() => 0),
      );
    }),
  );
  assert.deepEqual(slips([0, 0, 0]), [200, 100, 0]);
  assert.deepEqual(slips([0, 105, 200]), [0, 5, 0]);
});
