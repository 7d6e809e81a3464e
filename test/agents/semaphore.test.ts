import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { InitLock } from '../../src/agents/semaphore.js';

const never = new AbortController().signal;

test('the lock is held by one at a time, in the order of asking', async () => {
  const lock = new InitLock();
  const order: number[] = [];
  assert.equal(await lock.acquire(never), true);
  const waiters = [1, 2, 3].map(async (n) => {
    assert.equal(await lock.acquire(never), true);
    order.push(n);
  });
  for (let n = 0; n < 3; n++) {
    assert.equal(order.length, n);
    lock.release();
    await waiters[n];
  }
  assert.deepEqual(order, [1, 2, 3]);
});

test('who goes away does not get it, and holds nobody up', async () => {
  const lock = new InitLock();
  await lock.acquire(never);
  const gone = new AbortController();
  const left = lock.acquire(gone.signal);
  const next = lock.acquire(never);
  gone.abort();
  assert.equal(await left, false);
  lock.release();
  assert.equal(await next, true);
  lock.release();
  assert.equal(await lock.acquire(never), true);
});

test('who has gone away already does not wait', async () => {
  const lock = new InitLock();
  await lock.acquire(never);
  assert.equal(await lock.acquire(AbortSignal.abort()), false);
  lock.release();
  assert.equal(await lock.acquire(never), true);
});

test('going away after having got it gives nothing back, and takes nobody’s place', async () => {
  const lock = new InitLock();
  await lock.acquire(never);
  const gone = new AbortController();
  const second = lock.acquire(gone.signal);
  let isIn = false;
  const third = lock.acquire(never).then((got) => {
    isIn = got;
  });
  lock.release();
  assert.equal(await second, true);
  gone.abort();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isIn, false);
  lock.release();
  await third;
  assert.equal(isIn, true);
});

test('in any order of asking, leaving and releasing nobody is lost and no two are in', async () => {
  const steps = fc.array(fc.constantFrom('ask', 'leave', 'release'), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const lock = new InitLock();
      const asked: { abort: AbortController; state: 'waits' | 'in' | 'left' | 'out' }[] = [];
      for (const step of sequence) {
        if (step === 'ask') {
          const one = {
            abort: new AbortController(),
            state: 'waits' as 'waits' | 'in' | 'left' | 'out',
          };
          asked.push(one);
          void lock.acquire(one.abort.signal).then((got) => {
            one.state = got ? 'in' : 'left';
          });
        } else if (step === 'leave') {
          asked.findLast(({ state }) => state === 'waits')?.abort.abort();
        } else {
          const holder = asked.find(({ state }) => state === 'in');
          if (!holder) continue;
          holder.state = 'out';
          lock.release();
        }
        await new Promise((resolve) => setImmediate(resolve));
        const inside = asked.filter(({ state }) => state === 'in').length;
        const waiting = asked.filter(({ state }) => state === 'waits').length;
        assert.ok(inside === 1 || (inside === 0 && waiting === 0));
      }
    }),
    { numRuns: 100 },
  );
});
