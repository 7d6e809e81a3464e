import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { evaluateClaims } from '../../src/experiment/claims/index.js';
import { resultSchema } from '../../src/results/schema.js';
import { dead, lane, unguarded, unknownSeries } from './lanes.js';
import { run } from './run.js';

test('every claim of the issue, the pull request and the review is judged, in this order', () => {
  assert.deepEqual(
    evaluateClaims(run()).map(({ id }) => id),
    [
      'pollers',
      'rate-per-poller',
      'rate',
      'requests',
      'ports',
      'control-plane',
      'cap',
      'repoll',
      'version',
    ],
  );
});

test('where nothing was measured nothing is decided', () => {
  for (const result of [run({}, dead), run({}, dead, lane(dead, { agent: 'guarded' }))]) {
    for (const { id, verdict, measured } of evaluateClaims(result)) {
      assert.equal(verdict, 'not-applicable', id);
      assert.equal(measured, null, id);
    }
  }
});

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const number = fc.integer({ min: 0, max: 50_000 });
const NO_NUMBER = /NaN|Infinity|undefined|null/;

/** What others say, and reasons quote: anything but the words that this test looks for. */
const said = fc.string({ maxLength: 4096, size: 'max' }).filter((text) => !NO_NUMBER.test(text));

const anyLane = fc
  .record({
    agent: fc.constantFrom('unguarded', 'guarded', 'head', 'x'.repeat(4096)),
    kind: fc.constantFrom('reference' as const, 'external' as const),
    version: maybe(said),
    trouble: maybe(said),
    pollers: fc.record({ peak: maybe(number), spawned: maybe(number) }),
    connections: fc.record({ total: maybe(number), perSecondPeak: maybe(number) }),
    ports: fc.oneof(
      fc.constant(dead.ports),
      fc.record({ capacity: number, peak: number, exhaustedAtMs: maybe(number) }),
    ),
    agentCount: maybe(fc.constant(unguarded.agentCount)),
    series: fc.constantFrom(unguarded.series, unknownSeries, {
      tMs: [],
      pollers: [],
      connectionsPerSecond: [],
      portsInUse: [],
      timeWait: [],
      initLatencyMs: [],
      healthLatencyMs: [],
    }),
  })
  .map((change) => lane(unguarded, change));

test('whatever a run holds, the claims fit the document and say no number that is none', () => {
  fc.assert(
    fc.property(
      fc.array(anyLane, { minLength: 1, maxLength: 4 }),
      fc.record({
        intervalMs: fc.integer({ min: 1, max: 100_000 }),
        outageMs: fc.integer({ min: 1, max: 10_000_000 }),
        fault: fc.oneof(said, fc.constant('refused')),
        bootPoller: fc.boolean(),
        retry: fc.constantFrom('fixed' as const, 'orchestrator' as const),
      }),
      fc.boolean(),
      (some, scenario, complete) => {
        const result = run({ complete, scenario }, ...some);
        const claims = evaluateClaims(result);
        resultSchema.parse({ ...result, claims });
        for (const { reason, verdict, measured } of claims) {
          assert.doesNotMatch(reason, NO_NUMBER);
          if (verdict !== 'not-applicable') assert.notEqual(measured, null);
        }
      },
    ),
  );
});
