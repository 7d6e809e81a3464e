import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkAccessToken, hashAccessToken, type Verdict } from '../../src/agents/access-token.js';
import { newCounters } from '../../src/agents/counters.js';
import { until } from '../base/until.js';
import { assertAddsUp } from './counted.js';
import { hangs, refusing, scriptMmds, serves } from './scripted-mmds.js';

const MISMATCH: Verdict = 'access token validation failed';
const RESET: Verdict = 'access token reset not authorized';
const never = new AbortController().signal;

// envd internal/api/init.go, validateInitAccessToken and checkMMDSHash.
const table: [
  comment: string,
  stored: string | undefined,
  offered: string | undefined,
  hash: string | undefined,
  verdict: Verdict | undefined,
][] = [
  ['first set-up, no hash', undefined, 'a', undefined, undefined],
  ['first set-up without a token', undefined, undefined, undefined, undefined],
  ['an empty hash is none', undefined, 'a', '', undefined],
  ['the hash is that of the token', 'old', 'a', hashAccessToken('a'), undefined],
  ['the same without a stored one', undefined, 'a', hashAccessToken('a'), undefined],
  ['the hash is another’s', 'old', 'a', hashAccessToken('b'), MISMATCH],
  ['the same without a stored one', undefined, 'a', hashAccessToken('b'), MISMATCH],
  ['no hash, another stored', 'old', 'a', undefined, MISMATCH],
  ['a reset that is authorized', 'old', undefined, hashAccessToken(''), undefined],
  ['a reset that is not', 'old', undefined, hashAccessToken('a'), RESET],
  ['a reset without a hash', 'old', undefined, undefined, RESET],
  ['no token where one is due', undefined, undefined, hashAccessToken('a'), RESET],
];
for (const [comment, stored, offered, hash, verdict] of table) {
  test(`access token: ${comment}: ${verdict ?? 'passes'}`, async (t) => {
    const mmds = await scriptMmds(t, serves(hash === undefined ? {} : { accessTokenHash: hash }));
    const counters = newCounters();
    const context = { mmds: mmds.address, counters };
    assert.equal(await checkAccessToken(stored, offered, context, never), verdict);
    // Answered at the first try.
    assert.equal(counters.attempts, 2);
    assertAddsUp(counters);
  });
}

test('access token: the stored one passes without a word to MMDS', async (t) => {
  const mmds = await scriptMmds(t, hangs);
  const counters = newCounters();
  assert.equal(
    await checkAccessToken('a', 'a', { mmds: mmds.address, counters }, never),
    undefined,
  );
  assert.equal(counters.attempts, 0);
});

test('access token: two tries when MMDS is not there', async (t) => {
  const counters = newCounters();
  const context = { mmds: await refusing(t), counters };
  assert.equal(await checkAccessToken('old', 'a', context, never), MISMATCH);
  assert.equal(counters.attempts, 2);
  assert.equal(counters.refused, 2);
  assert.equal(await checkAccessToken(undefined, 'a', context, never), undefined);
});

test('access token: the second try counts as well as the first', async (t) => {
  let asked = 0;
  const mmds = await scriptMmds(t, (request) => {
    asked++;
    if (asked === 1) request.socket.resetAndDestroy();
    else serves({ accessTokenHash: hashAccessToken('a') })(request);
  });
  const counters = newCounters();
  const context = { mmds: mmds.address, counters };
  assert.equal(await checkAccessToken('old', 'a', context, never), undefined);
  assert.equal(counters.attempts, 3);
});

test('access token: a caller that goes away cancels the request', async (t) => {
  const mmds = await scriptMmds(t, hangs);
  const counters = newCounters();
  const gone = new AbortController();
  const verdict = checkAccessToken('old', 'a', { mmds: mmds.address, counters }, gone.signal);
  await until('MMDS was asked', () => mmds.requests.length === 1);
  gone.abort();
  assert.equal(await verdict, MISMATCH);
  assert.equal(counters.attempts, 1);
  assert.equal(counters.cancelled, 1);
  assertAddsUp(counters);
});

test('access token: for a caller that has gone away MMDS is not asked', async (t) => {
  const mmds = await scriptMmds(t, hangs);
  const counters = newCounters();
  const context = { mmds: mmds.address, counters };
  assert.equal(await checkAccessToken('old', 'a', context, AbortSignal.abort()), MISMATCH);
  assert.equal(counters.attempts, 0);
});
