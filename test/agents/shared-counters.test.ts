import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Counters, newCounters } from '../../src/agents/counters.js';
import { counterMemory, sharedCounters, sumCounters } from '../../src/agents/shared-counters.js';

const NAMES = Object.keys(newCounters()) as (keyof Counters)[];
const some = fc.record(
  Object.fromEntries(NAMES.map((name) => [name, fc.nat({ max: 2 ** 31 })])) as Record<
    keyof Counters,
    fc.Arbitrary<number>
  >,
);

test('what one side counts the other reads, every count in a place of its own', () => {
  fc.assert(
    fc.property(some, (values) => {
      const memory = counterMemory();
      const [writer, reader] = [sharedCounters(memory), sharedCounters(memory)];
      assert.deepEqual({ ...reader }, newCounters());
      Object.assign(writer, values);
      writer.attempts++;
      assert.deepEqual({ ...reader }, { ...values, attempts: values.attempts + 1 });
    }),
  );
});

test('a count of more than 32 bits is exact', () => {
  const counters = sharedCounters(counterMemory());
  counters.attempts = 2 ** 40;
  counters.attempts++;
  assert.equal(counters.attempts, 2 ** 40 + 1);
});

test('counts are printed as those of one thread, in the same order', () => {
  const counters = sharedCounters(counterMemory());
  assert.equal(JSON.stringify(counters), JSON.stringify(newCounters()));
});

test('a sum has every count of every thread, the largest poller, and the peak it is given', () => {
  fc.assert(
    fc.property(fc.array(some, { maxLength: 8 }), fc.nat(), (all, peak) => {
      const sum = sumCounters(all, peak);
      for (const name of NAMES) {
        const values = all.map((one) => one[name]);
        const wanted =
          name === 'pollersPeak'
            ? peak
            : name === 'attemptsPerPollerMax'
              ? values.reduce((most, one) => Math.max(most, one), 0)
              : values.reduce((total, one) => total + one, 0);
        assert.equal(sum[name], wanted, name);
      }
    }),
  );
});
