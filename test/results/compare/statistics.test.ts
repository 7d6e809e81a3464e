import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  mannWhitney,
  median,
  medianInterval,
  smallestP,
} from '../../../src/results/compare/statistics.js';

/** Small whole numbers, so that there are ties, and now and then "never". */
const value = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 0, max: 6 }) },
  { weight: 1, arbitrary: fc.constant(Number.POSITIVE_INFINITY) },
);
const sample = fc.array(value, { minLength: 1, maxLength: 6 });

/** Pairs in which the second is larger, equal ones as half: the definition of U. */
function pairsAbove(first: readonly number[], second: readonly number[]): number {
  let above = 0;
  for (const a of first) for (const b of second) above += b > a ? 1 : b === a ? 0.5 : 0;
  return above;
}

/** All ways to choose `size` of the values; the rest comes second. */
function* deals(values: readonly number[], size: number): Generator<[number[], number[]]> {
  for (let mask = 0; mask < 1 << values.length; mask++) {
    const chosen = values.filter((_, i) => mask & (1 << i));
    if (chosen.length === size) yield [chosen, values.filter((_, i) => !(mask & (1 << i)))];
  }
}

test('p equals the share of all deals that are as extreme, by enumeration', () => {
  fc.assert(
    fc.property(sample, sample, (first, second) => {
      const middle = (first.length * second.length) / 2;
      const distance = Math.abs(pairsAbove(first, second) - middle);
      let all = 0;
      let asFar = 0;
      for (const [a, b] of deals([...first, ...second], first.length)) {
        all++;
        if (Math.abs(pairsAbove(a, b) - middle) >= distance) asFar++;
      }
      const { u, p, method } = mannWhitney(first, second);
      assert.equal(u, pairsAbove(first, second));
      assert.equal(method, 'exact');
      assert.ok(Math.abs(p - asFar / all) < 1e-12, `${p} is not ${asFar}/${all}`);
    }),
  );
});

test('the test is the same the other way round, and for values on another scale', () => {
  fc.assert(
    fc.property(sample, sample, (first, second) => {
      const there = mannWhitney(first, second);
      const back = mannWhitney(second, first);
      const scaled = mannWhitney(
        first.map((x) => x * 1e3 + 7),
        second.map((x) => x * 1e3 + 7),
      );
      assert.ok(Math.abs(there.p - back.p) < 1e-12);
      assert.ok(Math.abs(there.effect + back.effect) < 1e-12);
      assert.deepEqual(scaled, there);
      assert.ok(there.p > 0 && there.p <= 1 && Math.abs(there.effect) <= 1);
    }),
  );
});

// Known values: Hollander and Wolfe's tables, and 2/C(n+m, n) for samples that do not overlap.
const known: [comment: string, first: number[], second: number[], p: number, effect: number][] = [
  ['apart, 5 and 5', [1, 2, 3, 4, 5], [6, 7, 8, 9, 10], 2 / 252, 1],
  ['apart, 4 and 4, downwards', [6, 7, 8, 9], [1, 2, 3, 4], 2 / 70, -1],
  ['apart, 3 and 3: never below 0.1', [1, 2, 3], [4, 5, 6], 0.1, 1],
  ['one and one', [1], [2], 1, 1],
  ['all equal', [600, 600, 600], [600, 600, 600], 1, 0],
  ['constants that differ', [600, 600, 600, 600], [1, 1, 1, 1], 2 / 70, -1],
];
for (const [comment, first, second, p, effect] of known) {
  test(`Mann-Whitney, ${comment}`, () => {
    const got = mannWhitney(first, second);
    assert.ok(Math.abs(got.p - p) < 1e-12, `${got.p}`);
    assert.equal(got.effect, effect);
  });
}

test('a sample against itself shows nothing', () => {
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 80 }), (values) => {
      const { p, effect } = mannWhitney(values, values);
      assert.ok(Math.abs(p - 1) < 1e-6 && effect === 0);
    }),
  );
});

test('beyond 50 values the approximation goes on where the exact p ends', () => {
  const spread = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), {
    minLength: 25,
    maxLength: 25,
  });
  fc.assert(
    fc.property(spread, spread, fc.double({ min: -0.5, max: 0.5, noNaN: true }), (a, b, shift) => {
      const moved = b.map((x) => x + shift);
      const exact = mannWhitney(a, moved);
      // One value more, in the middle of all, moves p a little only.
      const beyond = mannWhitney([...a, median([...a, ...moved])], moved);
      assert.deepEqual([exact.method, beyond.method], ['exact', 'normal']);
      assert.ok(Math.abs(exact.p - beyond.p) < 0.08, `${exact.p} ${beyond.p}`);
    }),
    { numRuns: 30 },
  );
});

test('the smallest p is that of samples that do not overlap', () => {
  for (const [n, m] of [
    [1, 1],
    [2, 3],
    [4, 4],
    [5, 7],
  ] as const) {
    const first = Array.from({ length: n }, (_, i) => i);
    const second = Array.from({ length: m }, (_, i) => 100 + i);
    assert.ok(Math.abs(mannWhitney(first, second).p - smallestP(n, m)) < 1e-12);
  }
});

test('the median', () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 2, 3]), 2.5);
  assert.equal(median([7]), 7);
  assert.equal(median([1, Number.POSITIVE_INFINITY]), Number.POSITIVE_INFINITY);
  assert.equal(median(Array<number>(4).fill(Number.POSITIVE_INFINITY)), Number.POSITIVE_INFINITY);
  assert.ok(Number.isNaN(median([])));
});

test('the interval of the median covers what the binomial distribution says, by enumeration', () => {
  for (let n = 2; n <= 14; n++) {
    const values = Array.from({ length: n }, (_, i) => i + 1);
    const interval = medianInterval(values, 0.95);
    assert.ok(interval);
    const { low, high, confidence } = interval;
    assert.equal(low + high, n + 1, 'as many values outside at both ends');
    // Each of n draws lies above the population's median or below it, as a coin falls: the interval
    // holds the median when at least `low` draws lie below it and as many above.
    let holds = 0;
    for (let coins = 0; coins < 1 << n; coins++) {
      let below = 0;
      for (let i = 0; i < n; i++) below += (coins >> i) & 1;
      if (below >= low && n - below >= low) holds++;
    }
    assert.ok(Math.abs(confidence - holds / 2 ** n) < 1e-12);
    assert.ok(n < 6 ? low === 1 : confidence >= 0.95);
  }
  assert.equal(medianInterval([1], 0.95), null);
  assert.equal(medianInterval([], 0.95), null);
  const many = medianInterval(
    Array.from({ length: 1000 }, (_, i) => i),
    0.95,
  );
  assert.ok(many && many.confidence >= 0.95 && many.confidence < 0.96);
});
