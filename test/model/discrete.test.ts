import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cumulativeAttempts, pollersAt } from '../../src/model/closed-form.js';
import {
  aliveAt,
  attemptsBefore,
  attemptsInSecondTo,
  initCount,
  peakBefore,
  startedBefore,
} from '../../src/model/discrete.js';
import { aliveOneByOne, attemptsOneByOne, startsOneByOne } from './counted.js';

const turns = { firstMs: 50, everyMs: 50, attempts: 2, lifetimeMs: 60_000 };

test('how many /inits an outage has', () => {
  const rows = [
    { why: '5 s at 100 ms', intervalMs: 100, outageMs: 5000, count: 50 },
    {
      why: 'the last one is sent although the interval is cut',
      intervalMs: 1000,
      outageMs: 2500,
      count: 3,
    },
    { why: 'the first one is always sent', intervalMs: 10_000, outageMs: 5000, count: 1 },
  ];
  for (const { why, intervalMs, outageMs, count } of rows) {
    assert.equal(initCount(intervalMs, outageMs), count, why);
  }
});

test('the issue’s storm, counted', () => {
  const starts = { everyMs: 100, count: 600 };
  assert.equal(peakBefore(60_000, starts, 60_000), 600);
  assert.equal(attemptsBefore(60_000, starts, turns), 720_000);
  // Not 24,000: in the last second the last ten pollers are still being added.
  assert.equal(attemptsInSecondTo(60_000, starts, turns), 23_800);
});

test('one poller has 1,199 ticks in its life: the 1,200th falls on its deadline', () => {
  assert.equal(attemptsBefore(120_000, { everyMs: 100, count: 1 }, turns), 2 * 1199);
});

const starts = fc.record({
  everyMs: fc.oneof(fc.integer({ min: 1, max: 3000 }), fc.constant(Number.POSITIVE_INFINITY)),
  count: fc.integer({ min: 1, max: 40 }),
});
const anyStarts = starts.map((some) =>
  Number.isFinite(some.everyMs) ? some : { ...some, count: 1 },
);
const anyTurns = fc.record({
  firstMs: fc.integer({ min: 1, max: 500 }),
  everyMs: fc.oneof(fc.integer({ min: 10, max: 5000 }), fc.constant(Number.POSITIVE_INFINITY)),
  attempts: fc.integer({ min: 1, max: 2 }),
  lifetimeMs: fc.oneof(fc.integer({ min: 1, max: 5000 }), fc.constant(Number.POSITIVE_INFINITY)),
});
const anyTime = fc.integer({ min: -100, max: 12_000 });

test('the sums are what counting one by one gives', () => {
  fc.assert(
    fc.property(anyStarts, anyTurns, anyTime, (some, does, tMs) => {
      assert.equal(attemptsBefore(tMs, some, does), attemptsOneByOne(tMs, some, does));
      assert.equal(aliveAt(tMs, some, does.lifetimeMs), aliveOneByOne(tMs, some, does.lifetimeMs));
      assert.equal(startedBefore(tMs, some), startsOneByOne(some).filter((t) => t < tMs).length);
    }),
  );
});

test('the peak is the most that were ever alive, one by one', () => {
  fc.assert(
    fc.property(anyStarts, anyTurns, anyTime, (some, { lifetimeMs }, tMs) => {
      // The number alive only rises at a start.
      const alive = startsOneByOne(some)
        .filter((startMs) => startMs < tMs)
        .map((startMs) => aliveOneByOne(startMs, some, lifetimeMs));
      assert.equal(peakBefore(tMs, some, lifetimeMs), Math.max(0, ...alive));
    }),
  );
});

test('the continuous formulas lie within one poller, and one tick a poller, of the count', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2000 }),
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 200, max: 20_000 }),
      fc.integer({ min: 1, max: 30_000 }),
      (intervalMs, tickMs, lifetimeMs, tMs) => {
        const storm = { intervalMs, lifetimeMs, tickMs, attemptsPerTick: 2 };
        const some = { everyMs: intervalMs, count: initCount(intervalMs, tMs + 1) };
        const does = { firstMs: tickMs, everyMs: tickMs, attempts: 2, lifetimeMs };
        assert.ok(Math.abs(aliveAt(tMs, some, lifetimeMs) - pollersAt(tMs, storm)) <= 1);
        // Each poller is cut off within a tick, and the last one started within an interval.
        const aTickEach = 2 * some.count;
        const aPoller = (2 * Math.min(tMs, lifetimeMs)) / tickMs;
        const apart = attemptsBefore(tMs, some, does) - cumulativeAttempts(tMs, storm);
        assert.ok(Math.abs(apart) <= aTickEach + aPoller + 1e-6, `${apart} apart`);
      },
    ),
  );
});
