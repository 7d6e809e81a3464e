import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RateMeter } from '../../src/observe/rate.js';

type Reading = [tMs: number, count: number, rate: number];

const table: [comment: string, readings: Reading[], peak: number][] = [
  [
    'within the first second the events so far',
    [
      [0, 0, 0],
      [100, 40, 40],
      [900, 360, 360],
    ],
    360,
  ],
  [
    'a second at 10 Hz',
    [
      [0, 0, 0],
      [500, 50, 50],
      [1_000, 100, 100],
      [1_500, 150, 100],
    ],
    100,
  ],
  [
    'a counter that did not begin at 0',
    [
      [0, 7_000, 0],
      [1_000, 7_100, 100],
    ],
    100,
  ],
  [
    'a late sample makes no false peak',
    [
      [0, 0, 0],
      [1_000, 100, 100],
      [3_000, 300, 100],
    ],
    100,
  ],
  [
    'a burst counts for one second',
    [
      [0, 0, 0],
      [1_000, 100, 100],
      [1_100, 100, 100 / 1.1],
      [2_000, 100, 0],
    ],
    100,
  ],
  [
    'nothing happens',
    [
      [0, 5, 0],
      [1_000, 5, 0],
      [2_000, 5, 0],
    ],
    0,
  ],
];
for (const [comment, readings, peak] of table) {
  test(`rate: ${comment}`, () => {
    const meter = new RateMeter();
    for (const [tMs, count, rate] of readings) assert.equal(meter.push(tMs, count), rate);
    assert.equal(meter.peak, peak);
  });
}

test('before the first reading there is no peak', () => assert.equal(new RateMeter().peak, null));

test('a steady rate is found exactly, however the samples fall, and never exceeded', () => {
  const gaps = fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 5, maxLength: 100 });
  fc.assert(
    fc.property(gaps, fc.integer({ min: 0, max: 24_000 }), (steps, perSecond) => {
      const meter = new RateMeter();
      let tMs = 0;
      meter.push(0, 0);
      for (const step of steps) {
        tMs += step;
        const rate = meter.push(tMs, (tMs * perSecond) / 1e3);
        const expected = tMs >= 1_000 ? perSecond : (tMs * perSecond) / 1e3;
        assert.ok(Math.abs(rate - expected) <= expected * 1e-9 + 1e-6, `${rate} at ${tMs}`);
      }
      assert.ok((meter.peak ?? 0) <= perSecond * (1 + 1e-9));
    }),
  );
});
