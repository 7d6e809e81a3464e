import assert from 'node:assert/strict';
import type { Counters } from '../../src/agents/counters.js';

/** All attempts that have ended, by what became of them. */
export function outcomes(counters: Counters): number {
  const { refused, reset, timedOut, answered, failedOtherwise, cancelled, localFailures } =
    counters;
  return refused + reset + timedOut + answered + failedOtherwise + cancelled + localFailures;
}

/** Every attempt has exactly one outcome. */
export function assertAddsUp(counters: Counters): void {
  assert.equal(outcomes(counters), counters.attempts);
}
