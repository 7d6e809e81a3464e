import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Unjudged } from '../../src/experiment/claims/claim.js';
import { evaluateClaims } from '../../src/experiment/claims/index.js';
import { type Claim, resultSchema } from '../../src/results/schema.js';

type Row = [
  why: string,
  result: Unjudged,
  verdict: Claim['verdict'],
  lane: string | null,
  measured: Claim['measured'],
  reason: RegExp,
];

/** One test a row: what a claim says of a run. */
export function checkVerdicts(id: string, rows: readonly Row[]): void {
  for (const [why, result, verdict, lane, measured, reason] of rows) {
    test(`${id}: ${why}`, () => {
      const claim = judged(id, result);
      assert.equal(claim.verdict, verdict, claim.reason);
      assert.equal(claim.lane, lane);
      assert.equal(claim.measured, measured);
      assert.match(claim.reason, reason);
    });
  }
}

/** The verdict on one claim, checked to be such as the document can hold. */
function judged(id: string, result: Unjudged): Claim {
  const claims = evaluateClaims(result);
  resultSchema.parse({ ...result, claims });
  const claim = claims.find((some) => some.id === id);
  if (!claim) throw new Error(`no claim ${id}`);
  return claim;
}
