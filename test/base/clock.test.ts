import assert from 'node:assert/strict';
import { test } from 'node:test';
import { monotonicMs, sleepUntil } from '../../src/base/clock.js';

test('the clock never goes back', () => {
  let last = monotonicMs();
  for (let i = 0; i < 10_000; i++) {
    const now = monotonicMs();
    assert.ok(now >= last);
    last = now;
  }
});

test('a sleep does not end before its instant', async () => {
  for (const ms of [0.3, 1, 2.7, 10]) {
    const dueMs = monotonicMs() + ms;
    await sleepUntil(dueMs);
    assert.ok(monotonicMs() >= dueMs);
  }
});

test('an abort ends a sleep, also one that has not begun', async () => {
  const abort = new AbortController();
  const dueMs = monotonicMs() + 60_000;
  const sleep = sleepUntil(dueMs, abort.signal);
  abort.abort();
  await sleep;
  await sleepUntil(dueMs, abort.signal);
  assert.ok(monotonicMs() < dueMs);
});

test('sleepers that are late leave the event loop its turns', async () => {
  let turns = 0;
  const count = (): void => {
    turns++;
    if (turns < 100) setImmediate(count);
  };
  setImmediate(count);
  for (let i = 0; i < 10; i++) await sleepUntil(monotonicMs() - 1_000);
  assert.ok(turns >= 9, `${turns} turns`);
});
