import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sparkline, squeeze } from '../../src/report/sparkline.js';

test('squeezed by time, not by count, keeping the largest', () => {
  assert.deepEqual(squeeze([1, 2, 3, 100], [5, 9, 1, 7], 4), [9, null, null, 7]);
  assert.deepEqual(squeeze([], [], 3), [null, null, null]);
  assert.deepEqual(squeeze([0], [2], 2), [2, null]);
  assert.deepEqual(squeeze([50, 100], [null, 3], 2), [null, 3]);
});

test('any series: as many spans as asked for, and the maximum survives', () => {
  const points = fc.array(fc.tuple(fc.integer({ min: 1, max: 50 }), fc.nat()), { minLength: 1 });
  fc.assert(
    fc.property(points, fc.integer({ min: 1, max: 40 }), (steps, width) => {
      let t = 0;
      const tMs = steps.map(([step]) => {
        t += step;
        return t;
      });
      const spans = squeeze(
        tMs,
        steps.map(([, value]) => value),
        width,
      );
      assert.equal(spans.length, width);
      const most = Math.max(...spans.map((span) => span ?? 0));
      assert.equal(most, Math.max(...steps.map(([, value]) => value)));
    }),
  );
});

test('bars of two lanes on one scale', () => {
  assert.equal(sparkline([1, 1], 2, true), '██');
  assert.equal(sparkline([1, 1], 2, true, 100), '▁▁');
  assert.equal(sparkline([50, 100], 2, true, 100), '▅█');
});
