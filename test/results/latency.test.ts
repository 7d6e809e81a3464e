import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LatencyRecorder, type LatencySummary } from '../../src/results/latency.js';

/** Three significant digits, and the microsecond that rounding up may add. */
const near = (actual: number | null, exact: number) => {
  assert.ok(actual !== null);
  assert.ok(actual >= exact - 1e-9 && actual <= exact * 1.001 + 0.002, `${actual} for ${exact}`);
};

/** The sample that a percentile names: at least that share of all samples is not above it. */
const exactly = (samples: number[], percentile: number) => {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percentile / 100) * sorted.length) - 1)] ?? Number.NaN;
};

function recorded(samples: Iterable<number>): LatencyRecorder {
  const recorder = new LatencyRecorder();
  for (const sample of samples) recorder.record(sample);
  return recorder;
}

function check(summary: LatencySummary, samples: number[]): void {
  near(summary.p50, exactly(samples, 50));
  near(summary.p99, exactly(samples, 99));
  assert.equal(summary.max, Math.max(...samples));
  assert.ok((summary.p50 ?? 0) <= (summary.p99 ?? 0));
  assert.ok((summary.p99 ?? 0) <= (summary.max ?? 0));
}

const hours = 5 * 3600e3;
const anyMs = fc.oneof(
  fc.double({ min: 0, max: hours, noNaN: true }),
  fc.double({ min: 0, max: 20, noNaN: true }),
  fc.integer({ min: 0, max: hours }),
  fc.constant(0),
);
const anySamples = fc.array(anyMs, { minLength: 1, maxLength: 400 });

test('1 to 1000 ms: p50 500, p99 990, max 1000', () => {
  const summary = recorded(Array.from({ length: 1000 }, (_, i) => i + 1)).summary();
  near(summary.p50, 500);
  near(summary.p99, 990);
  assert.equal(summary.max, 1000);
});

test('no sample is no data, never 0', () => {
  const empty = new LatencyRecorder();
  assert.deepEqual(empty.summary(), { p50: null, p99: null, max: null });
  assert.equal(empty.encode(), null);
  assert.equal(empty.count, 0);
});

test('one sample is every percentile', () => {
  fc.assert(
    fc.property(anyMs, (v) => {
      assert.deepEqual(recorded([v]).summary(), { p50: v, p99: v, max: v });
    }),
  );
});

test('agrees with an exact sort', () => {
  fc.assert(fc.property(anySamples, (samples) => check(recorded(samples).summary(), samples)));
});

test('merged recorders are one recorder of all samples', () => {
  fc.assert(
    fc.property(fc.array(anySamples, { minLength: 1, maxLength: 4 }), (groups) => {
      const merged = new LatencyRecorder();
      for (const group of groups) {
        const part = recorded(group);
        merged.merge(part.encode() ?? '', part.summary().max ?? 0);
      }
      const all = groups.flat();
      assert.equal(merged.count, all.length);
      assert.deepEqual(merged.summary(), recorded(all).summary());
      check(merged.summary(), all);
    }),
  );
});

test('a late answer of 70 s and one of hours are kept among short ones', () => {
  const summary = recorded([1, 2, 70e3, hours]).summary();
  near(summary.p50, 2);
  near(summary.p99, hours);
  assert.equal(summary.max, hours);
});

test('a timer that fired early counts as 0; what is no number is refused', () => {
  assert.deepEqual(recorded([-0.4]).summary(), { p50: 0, p99: 0, max: 0 });
  for (const bad of [Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.throws(() => recorded([bad]), RangeError);
  }
});

test('what is no histogram is refused', () => {
  const whole = recorded([1, 2, 3]).encode() ?? '';
  for (const bad of ['', 'abc', 'AAAA', '!!!!', whole.slice(0, -8), 'A'.repeat(300_000)]) {
    assert.throws(() => new LatencyRecorder().merge(bad, 1), RangeError, bad.slice(0, 20));
  }
});
