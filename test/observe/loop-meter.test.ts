import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LoopMeter, LoopMeters } from '../../src/observe/loop-meter.js';

/** Readings every 100 ms with the share of each 100 ms in which the loop was active. */
function feed(meter: LoopMeter, fromMs: number, shares: readonly number[]): void {
  let activeMs = 0;
  shares.forEach((share, i) => {
    activeMs += share * 100;
    meter.push({ atMs: fromMs + i * 100, activeMs });
  });
}

test('a loop that was never told of has no figures', () => {
  const meter = new LoopMeter();
  meter.begin(0);
  meter.end(1_000);
  assert.deepEqual(meter.use(), { utilizationPeak: null, delayMaxMs: null });
});

test('the busiest second counts, and nothing of before and after', () => {
  const meter = new LoopMeter();
  feed(meter, 0, [
    ...Array(10).fill(1),
    ...Array(15).fill(0.2),
    ...Array(10).fill(0.6),
    ...Array(15).fill(1),
  ]);
  assert.equal(meter.use().utilizationPeak, null);
  const watched = new LoopMeter();
  watched.begin(1_050);
  watched.end(3_450);
  feed(watched, 0, [
    ...Array(11).fill(1),
    ...Array(14).fill(0.2),
    ...Array(10).fill(0.6),
    ...Array(15).fill(1),
  ]);
  const { utilizationPeak, delayMaxMs } = watched.use();
  assert.ok(Math.abs((utilizationPeak ?? 0) - 0.6) < 0.001, `${utilizationPeak}`);
  assert.equal(delayMaxMs, 0);
});

test('a reading that comes late is a loop that was stuck, and no false peak', () => {
  const meter = new LoopMeter();
  meter.begin(0);
  for (let t = 0; t <= 1_000; t += 100) meter.push({ atMs: t, activeMs: t / 10 });
  meter.push({ atMs: 3_000, activeMs: 300 });
  meter.end(3_100);
  const { utilizationPeak, delayMaxMs } = meter.use();
  assert.equal(delayMaxMs, 1_900);
  assert.ok((utilizationPeak ?? 1) <= 0.1 + 1e-9);
});

test('silence up to the end is a delay, however late the next reading is', () => {
  for (const isToldAfterwards of [false, true]) {
    const meter = new LoopMeter();
    meter.begin(0);
    meter.push({ atMs: 100, activeMs: 0 });
    meter.end(1_000);
    if (isToldAfterwards) meter.push({ atMs: 9_000, activeMs: 0 });
    assert.equal(meter.use().delayMaxMs, 800);
  }
});

test('of several threads the busiest counts, and one that is told of later is watched too', () => {
  const meters = new LoopMeters();
  assert.deepEqual(meters.use(), { utilizationPeak: null, delayMaxMs: null });
  meters.push([{ atMs: 0, activeMs: 0 }]);
  meters.begin(0);
  for (let i = 1; i <= 20; i++) {
    meters.push([
      { atMs: i * 100, activeMs: i * 10 },
      { atMs: i * 100, activeMs: i * 97 },
    ]);
  }
  meters.end(2_000);
  const { utilizationPeak, delayMaxMs } = meters.use();
  assert.ok(Math.abs((utilizationPeak ?? 0) - 0.97) < 0.001, `${utilizationPeak}`);
  assert.equal(delayMaxMs, 0);
});
