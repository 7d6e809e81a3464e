import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signAt } from '../../src/lane/sampler.js';

const at = (atMs: number, sign: ReturnType<typeof signAt>) => ({
  atMs,
  sign,
  demandPerPoller: null,
  fault: { name: 'refused', parameters: {} },
});
const rate = (perPoller: number) => ({ kind: 'rate', perPoller }) as const;
const none = { kind: 'none' } as const;
const outstanding = { kind: 'outstanding' } as const;

test('a rate tells of pollers, but not in the second after a change, which has both in it', () => {
  const faults = [at(0, rate(40)), at(2_000, rate(20)), at(5_000, outstanding)];
  const signs = [0, 1_999, 2_000, 2_999, 3_000, 5_000].map((tMs) =>
    signAt({ faults, auth: 'stored' }, tMs),
  );
  assert.deepEqual(signs, [rate(40), rate(40), none, none, rate(20), outstanding]);
});

test('where /init itself asks MMDS nothing tells of the pollers alone', () => {
  assert.deepEqual(signAt({ faults: [at(0, rate(40))], auth: 'mmds' }, 10), none);
});

test('before the first fault there is nothing to tell', () => {
  assert.deepEqual(signAt({ faults: [], auth: 'stored' }, 10), none);
});
