import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { seriesSchema } from '../../src/results/schema.js';
import { type Sample, SERIES, SeriesRecorder } from '../../src/results/thin.js';

const value = fc.oneof(fc.integer({ min: 0, max: 50 }), fc.constant(null));
const anySamples = fc
  .array(
    fc.record({
      step: fc.integer({ min: 1, max: 300 }),
      pollers: value,
      connectionsPerSecond: value,
      portsInUse: value,
      timeWait: value,
      initLatencyMs: value,
      healthLatencyMs: value,
    }),
    { maxLength: 1500, size: 'max' },
  )
  .map((rows) => {
    let tMs = 0;
    return rows.map(({ step, ...values }): Sample => {
      tMs += step;
      return { tMs, ...values };
    });
  });

function recorded(samples: Iterable<Sample>, maxPoints?: number) {
  const recorder = new SeriesRecorder(maxPoints);
  for (const sample of samples) recorder.add(sample);
  return recorder.series();
}

function extremes(values: readonly (number | null)[]) {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const one of values) {
    if (one === null) continue;
    least = Math.min(least, one);
    most = Math.max(most, one);
  }
  return { least, most };
}

test('bounded, rising, made of real samples, and no extreme is lost', () => {
  fc.assert(
    fc.property(anySamples, fc.integer({ min: 32, max: 200 }), (samples, maxPoints) => {
      const series = recorded(samples, maxPoints);
      assert.ok(series.tMs.length <= maxPoints);
      seriesSchema.parse(series);
      assert.equal(series.tMs[0], samples[0]?.tMs);
      assert.equal(series.tMs.at(-1), samples.at(-1)?.tMs);
      const byTime = new Map(samples.map((sample) => [sample.tMs, sample]));
      for (const name of SERIES) {
        assert.deepEqual(
          series[name],
          series.tMs.map((t) => byTime.get(t)?.[name]),
        );
        assert.deepEqual(extremes(series[name]), extremes(samples.map((sample) => sample[name])));
      }
    }),
    { numRuns: 60 },
  );
});

const ramp = (count: number): Sample[] =>
  Array.from({ length: count }, (_, i) => ({
    tMs: i * 100,
    pollers: i,
    connectionsPerSecond: (i * 7919) % 1009,
    portsInUse: (i * 104_729) % 997,
    timeWait: null,
    initLatencyMs: null,
    healthLatencyMs: i % 10 === 0 ? (i * 31) % 89 : null,
  }));

test('what fits is kept whole: 60 s at 10 Hz', () => {
  assert.deepEqual(
    recorded(ramp(600)).tMs,
    ramp(600).map((sample) => sample.tMs),
  );
});

test('a day at 10 Hz fits, and its morning is kept as finely as its evening', () => {
  const { tMs } = recorded(ramp(864_000));
  assert.ok(tMs.length <= 1200 && tMs.length > 300, `${tMs.length} points`);
  const morning = tMs.filter((t) => t < 43_200e3).length;
  const evening = tMs.length - morning;
  assert.ok(morning < 2 * evening && evening < 2 * morning, `${morning} and ${evening} points`);
});

test('time that stands still or goes back is left out; what is no number is no data', () => {
  const sample = {
    pollers: 1,
    connectionsPerSecond: 1,
    portsInUse: 1,
    timeWait: Number.NaN,
    initLatencyMs: Number.POSITIVE_INFINITY,
    healthLatencyMs: 1,
  };
  const series = recorded([5, 5, 3, Number.NaN, 6].map((tMs) => ({ tMs, ...sample })));
  assert.deepEqual(series.tMs, [5, 6]);
  assert.deepEqual(series.timeWait, [null, null]);
  assert.deepEqual(series.initLatencyMs, [null, null]);
});

test('nothing recorded is empty arrays; too small a bound is refused', () => {
  assert.deepEqual(recorded([]).tMs, []);
  assert.throws(() => new SeriesRecorder(31), RangeError);
});
