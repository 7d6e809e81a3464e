import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzz } from './fuzz.js';
import { TARGETS } from './targets/index.js';

/** New inputs every day, and the same for everybody on one day. */
const seed = Math.floor(Date.now() / 86_400_000);

for (const { name } of TARGETS) {
  test(`fuzz ${name}`, { timeout: 120_000 }, async () => {
    const { tried, failure } = await fuzz(name, 200, seed);
    assert.equal(failure, null, `npm run fuzz -- --inputs 200 --seed ${seed} ${name}`);
    assert.ok(tried >= 200);
  });
}
