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

test('its last moments leave the event loop its turns', async () => {
  const order: string[] = [];
  const waiting = wakeAt(monotonicMs() + 1.5, never).then(() => order.push('awake'));
  await new Promise<void>((resolve) => setImmediate(resolve));
  order.push('another');
  await waiting;
  assert.deepEqual(order, ['another', 'awake']);
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
