import assert from 'node:assert/strict';
import { test } from 'node:test';
import { monotonicMs } from '../../src/base/clock.js';
import { wakeAt } from '../../src/orchestrator/punctual.js';

const never = new AbortController().signal;

test('it does not wake before its instant', async () => {
  for (const ms of [-5, 0.3, 1, 2.7, 10]) {
    const dueMs = monotonicMs() + ms;
    await wakeAt(dueMs, never);
    assert.ok(monotonicMs() >= dueMs);
  }
});

test('its last moments leave the event loop its turns', async (t) => {
  let now = 1_000;
  t.mock.method(process, 'hrtime', () => [0, now * 1e6]);
  let isAwake = false;
  const waiting = wakeAt(now + 1.5, never).then(() => {
    isAwake = true;
  });
  for (let turns = 0; turns < 10; turns++) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    assert.equal(isAwake, false);
  }
  now += 1.5;
  await waiting;
});

test('an abort ends it, asleep, awake, or before it has begun', async () => {
  for (const [ms, abortAfterMs] of [
    [60_000, 0],
    [60_000, 5],
  ] as const) {
    const abort = new AbortController();
    const dueMs = monotonicMs() + ms;
    const waiting = wakeAt(dueMs, abort.signal);
    setTimeout(() => abort.abort(), abortAfterMs);
    await waiting;
    await wakeAt(dueMs, abort.signal);
    assert.ok(monotonicMs() < dueMs);
  }
});
