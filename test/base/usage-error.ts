import assert from 'node:assert/strict';
import { UsageError } from '../../src/base/errors.js';

/** More is no line that anybody reads. */
const LONGEST_LINE = 400;

/** Runs what must fail with a UsageError, and checks that it is one printable line. */
export function assertUsageError(run: () => unknown): UsageError {
  try {
    run();
  } catch (thrown) {
    if (!(thrown instanceof UsageError)) throw thrown;
    assert.doesNotMatch(thrown.message, /[\p{Cc}\p{Zl}\p{Zp}]/u);
    assert.ok(thrown.message.length <= LONGEST_LINE, `${thrown.message.length} characters`);
    return thrown;
  }
  throw new Error('nothing was thrown');
}
