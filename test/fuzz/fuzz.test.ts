import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzz } from './fuzz.js';
import { TARGETS } from './targets/index.js';

/** The same inputs for everybody; `npm run fuzz` is for new ones. */
const SEED = 1;

for (const { name, isSlow } of TARGETS) {
  test(`fuzz ${name}`, { timeout: 120_000 }, async () => {
    const inputs = isSlow ? 40 : 200;
    const { tried, failure } = await fuzz(name, inputs, SEED);
    assert.equal(failure, null, `npm run fuzz -- --inputs ${inputs} --seed ${SEED} ${name}`);
    assert.ok(tried >= inputs);
  });
}
