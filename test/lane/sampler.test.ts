import assert from 'node:assert/strict';
import { test } from 'node:test';
import { monotonicMs } from '../../src/base/clock.js';
import { Sampler, signAt } from '../../src/lane/sampler.js';
import { NOTHING_READ } from '../../src/observe/reading.js';
import type { Sample } from '../../src/results/thin.js';

const at = (atMs: number, sign: ReturnType<typeof signAt>) => ({
  atMs,
  sign,
  demandPerPoller: null,
  fault: { name: 'refused', parameters: {} },
});
const rate = (perPoller: number) => ({ kind: 'rate', perPoller }) as const;
const none = { kind: 'none' } as const;
const outstanding = { kind: 'outstanding' } as const;

test('a rate tells of pollers, but not in the second after a change, which has both in it', () => {
  const faults = [at(0, rate(40)), at(2_000, rate(20)), at(5_000, outstanding)];
  const signs = [0, 1_999, 2_000, 2_999, 3_000, 5_000].map((tMs) =>
    signAt({ faults, auth: 'stored' }, tMs),
  );
  assert.deepEqual(signs, [rate(40), rate(40), none, none, rate(20), outstanding]);
});

/** A sampler whose kernel and agent say what the test has them say. */
function scripted(kind: 'reference' | 'external') {
  const startMs = monotonicMs();
  const kernel = { activeOpens: null as number | null, atMs: 0 };
  const told = { attempts: 0, atMs: 0 };
  const agent = {
    process: {
      limits: { ports: null },
      pid: () => undefined,
      reader: () => ({
        ...NOTHING_READ,
        portsInUse: 0,
        activeOpens: kernel.activeOpens,
        atMs: startMs + kernel.atMs,
      }),
    },
    get freshCounters() {
      return { attempts: told.attempts, localFailures: 0, pollersRunning: 1 };
    },
    get countedAtMs() {
      return startMs + told.atMs;
    },
  };
  const samples: Sample[] = [];
  const sampler = new Sampler(
    { faults: [at(0, none)], auth: 'stored', agent: { kind }, guest: { cpus: null } },
    agent as unknown as ConstructorParameters<typeof Sampler>[1],
    { takeLatency: () => ({ initLatencyMs: null, healthLatencyMs: null }) },
    startMs,
    (sample) => samples.push(sample),
  );
  const take = () => {
    sampler.take();
    return samples.at(-1)?.connectionsPerSecond;
  };
  return { sampler, kernel, told, take };
}

test('a rate that was the kernel’s is not made of the agent’s count when that is gone', () => {
  const { sampler, kernel, told, take } = scripted('reference');
  Object.assign(kernel, { activeOpens: 1_000, atMs: 0 });
  take();
  Object.assign(kernel, { activeOpens: 1_040, atMs: 1_000 });
  assert.equal(take(), 40);
  // The agent counts from 0: in one series with the other that would be a fall, and then a peak.
  Object.assign(kernel, { activeOpens: null, atMs: 1_100 });
  Object.assign(told, { attempts: 5_000, atMs: 1_100 });
  assert.equal(take(), null);
  assert.equal(sampler.rate.peak, 40);
});

test('where the kernel tells nothing from the beginning, the agent’s count makes the rate', () => {
  const { told, take } = scripted('reference');
  Object.assign(told, { attempts: 0, atMs: 0 });
  take();
  Object.assign(told, { attempts: 40, atMs: 1_000 });
  assert.equal(take(), 40);
});

test('where /init itself asks MMDS nothing tells of the pollers alone', () => {
  assert.deepEqual(signAt({ faults: [at(0, rate(40))], auth: 'mmds' }, 10), none);
});

test('before the first fault there is nothing to tell', () => {
  assert.deepEqual(signAt({ faults: [], auth: 'stored' }, 10), none);
});
