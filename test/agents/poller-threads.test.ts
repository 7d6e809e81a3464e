import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { type TestContext, test } from 'node:test';
import type { Metadata } from '../../src/agents/mmds-requests.js';
import { PollerThreads } from '../../src/agents/poller-threads.js';
import type { PollerThreadSettings } from '../../src/agents/poller-worker.js';
import { monotonicMs } from '../../src/base/clock.js';
import { until } from '../base/until.js';
import { assertAddsUp } from './counted.js';
import { hangs, refusing, scriptMmds, serves } from './scripted-mmds.js';

const LONG_MS = 3_600_000;
const FOUND: Metadata = { sandboxId: 'i', templateId: 'e', accessTokenHash: '' };

async function threads(
  t: TestContext,
  settings: Partial<PollerThreadSettings> & Pick<PollerThreadSettings, 'mmds'>,
): Promise<{ pollers: PollerThreads; stored: Metadata[] }> {
  const stored: Metadata[] = [];
  const pollers = await PollerThreads.start(
    { model: 'envd', tickMs: 5, acceptsEmptyStore: true, runDir: undefined, ...settings },
    (metadata) => stored.push(metadata),
  );
  t.after(() => pollers.stop());
  return { pollers, stored };
}

/** More than there are threads, so that some share one. */
const MANY = 2 * availableParallelism() + 1;

test('pollers count from their spawn on, and all of them ask', async (t) => {
  const mmds = await scriptMmds(t, hangs);
  const { pollers } = await threads(t, { mmds: mmds.address });
  for (let spawned = 1; spawned <= MANY; spawned++) {
    pollers.spawn(LONG_MS);
    const { pollersSpawned, pollersRunning, pollersPeak } = pollers.counters;
    assert.deepEqual([pollersSpawned, pollersRunning, pollersPeak], [spawned, spawned, spawned]);
  }
  await until('all have asked', () => mmds.requests.length === MANY);
  assert.equal(pollers.counters.attempts, MANY);
  assert.equal(pollers.counters.attemptsPerPollerMax, 1);
});

test('after a stop every attempt has its outcome, and none follows', async (t) => {
  const mmds = await scriptMmds(t, hangs);
  const { pollers } = await threads(t, { mmds: mmds.address });
  const ends = Array.from({ length: MANY }, () => pollers.spawn(LONG_MS).done);
  await until('all have asked', () => mmds.requests.length === MANY);
  await pollers.stop();
  const { counters } = pollers;
  assertAddsUp(counters);
  assert.equal(counters.cancelled, MANY);
  assert.equal(counters.pollersRunning, 0);
  await Promise.all(ends);
});

test('a stop in mid-storm: the counts of all threads add up', async (t) => {
  const { pollers } = await threads(t, { mmds: await refusing(t), tickMs: 1 });
  for (let i = 0; i < MANY; i++) pollers.spawn(LONG_MS);
  await until('a storm', () => pollers.counters.attempts >= 500);
  await pollers.stop();
  const { counters } = pollers;
  assertAddsUp(counters);
  assert.equal(counters.refused + counters.cancelled, counters.attempts);
  assert.deepEqual(pollers.counters, counters, 'something went on');
});

test('the peak is the most at one moment, not the sum of what the threads had', async (t) => {
  const mmds = await scriptMmds(t, serves({ instanceID: 'i', envID: 'e' }));
  const { pollers, stored } = await threads(t, { mmds: mmds.address });
  for (let i = 0; i < MANY; i++) await pollers.spawn(LONG_MS).done;
  const { pollersPeak, pollersSpawned, pollersRunning, pollersFinished } = pollers.counters;
  assert.deepEqual([pollersPeak, pollersSpawned, pollersRunning], [1, MANY, 0]);
  assert.equal(pollersFinished, MANY);
  assert.deepEqual(stored, Array(MANY).fill(FOUND));
});

test('a poll that throws rejects, and its thread lives on', async (t) => {
  const mmds = await scriptMmds(t, serves({ instanceID: 'i', envID: 'e' }));
  const { pollers, stored } = await threads(t, { mmds: mmds.address, runDir: '/dev/null/e2b' });
  for (let i = 1; i <= MANY; i++) {
    await assert.rejects(pollers.spawn(LONG_MS).done, /ENOTDIR/);
    assert.equal(stored.length, i);
  }
  assert.equal(pollers.counters.pollersFinished, 0);
  assert.equal(pollers.counters.pollersRunning, 0);
});

test('a renewal that reaches a poller gives it another lifetime and one more answer', async (t) => {
  let answers = 0;
  const mmds = await scriptMmds(t, (one) => {
    answers++;
    serves({ instanceID: 'i', envID: 'e' })(one);
  });
  const { pollers, stored } = await threads(t, { mmds: mmds.address, tickMs: 100 });
  const poller = pollers.spawn(LONG_MS);
  poller.renew();
  await poller.done;
  assert.equal(answers, 4);
  assert.equal(stored.length, 2);
  assert.equal(pollers.counters.pollersSpawned, 1);
});

test('a renewal that comes too late starts another poller: whoever renewed is polled for', async (t) => {
  const { pollers } = await threads(t, { mmds: await refusing(t) });
  const poller = pollers.spawn(30);
  // It ends while this thread does not listen: what an /init finds that comes at just that moment.
  const until = monotonicMs() + 20_000;
  while (pollers.counters.pollersRunning === 1 && monotonicMs() < until);
  assert.equal(pollers.counters.pollersExpired, 1);
  poller.renew();
  await poller.done;
  const { pollersSpawned, pollersExpired, pollersPeak } = pollers.counters;
  assert.deepEqual([pollersSpawned, pollersExpired, pollersPeak], [2, 2, 1]);
});

test('a renewal that comes too late starts none after a stop', async (t) => {
  const { pollers } = await threads(t, { mmds: await refusing(t) });
  const poller = pollers.spawn(LONG_MS);
  const stopped = pollers.stop();
  poller.renew();
  await stopped;
  await poller.done;
  assert.equal(pollers.counters.pollersSpawned, 1);
});
