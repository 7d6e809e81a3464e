import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseDuration } from '../../../src/base/duration.js';
import { fixed } from '../../../src/orchestrator/retry/fixed.js';

/** All instants at which the policy sends. */
function instants(intervalMs: number, outageMs: number): number[] {
  const times = { intervalMs, outageMs, retryPauseMs: 5, retryBudgetMs: 10_000 };
  const due: number[] = [];
  for (;;) {
    const next = fixed.next({ sent: due.length, elapsedMs: due.at(-1) ?? 0 }, times);
    if (next === null) return due;
    due.push(next);
  }
}

const table: [outage: string, interval: string, sends: number][] = [
  ['5s', '100ms', 50],
  ['2.5s', '1s', 3],
  ['5s', '10s', 1],
  ['10s', '20ms', 500],
  ['60s', '100ms', 600],
  ['1ms', '1ms', 1],
  ['100ms', '99.999ms', 2],
  ['1s', '300ms', 4],
  // Fractions that binary cannot hold: one too many in floating point.
  ['16.1s', '100ms', 161],
  ['16.1s', '0.1s', 161],
  ['4.35s', '1.45s', 3],
  ['2.4084ms', '2.408us', 1001],
];
for (const [outage, interval, sends] of table) {
  test(`fixed: ${outage} at ${interval} are ${sends} sends`, () => {
    const intervalMs = parseDuration(interval, 'interval');
    const due = instants(intervalMs, parseDuration(outage, 'outage'));
    assert.equal(due.length, sends);
    assert.deepEqual(
      due,
      due.map((_, i) => i * intervalMs),
    );
  });
}

test('fixed: the count is ceil(outage / interval) for whole nanoseconds', () => {
  const intervalNs = fc.bigInt({ min: 1n, max: 10_000_000_000n });
  fc.assert(
    fc.property(intervalNs, fc.double({ min: 0.01, max: 3_000, noNaN: true }), (ns, share) => {
      const outageNs = BigInt(Math.max(1, Math.round(Number(ns) * share)));
      const sends = Number((outageNs + ns - 1n) / ns);
      const due = instants(Number(ns) / 1e6, Number(outageNs) / 1e6);
      assert.equal(due.length, sends);
    }),
    { numRuns: 300 },
  );
});

test('fixed: whatever was answered, and however late it is, changes nothing', () => {
  const times = { intervalMs: 100, outageMs: 5_000, retryPauseMs: 5, retryBudgetMs: 1 };
  for (const outcome of ['answered', 'timedOut', 'failed'] as const) {
    assert.equal(fixed.next({ sent: 7, elapsedMs: 99_999, last: { outcome } }, times), 700);
    assert.equal(fixed.next({ sent: 50, elapsedMs: 0, last: { outcome } }, times), null);
  }
});

test('fixed is an open loop: it waits for no answer', () => assert.equal(fixed.loop, 'open'));
