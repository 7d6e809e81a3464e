import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { StackDumpReader } from '../../src/observe/stack-dump.js';

/** Recorded from a small stripped Go program: one poller from main, seven from an `/init`. */
const recorded = readFileSync('test/fixtures/goroutines.txt', 'utf8');
const expected = { goroutines: 18, pollers: 7, bootPollers: 1 };

test('a real dump is counted exactly', () => {
  const reader = new StackDumpReader('PollForMMDSOpts');
  reader.push(recorded);
  assert.deepEqual(reader.end(), expected);
});

test('wherever it is cut into pieces', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: recorded.length }), { maxLength: 20 }),
      (places) => {
        const cuts = [0, ...places, recorded.length].sort((a, b) => a - b);
        const reader = new StackDumpReader('PollForMMDSOpts');
        cuts.forEach((cut, i) => {
          reader.push(recorded.slice(cut, cuts[i + 1] ?? cut));
        });
        assert.deepEqual(reader.end(), expected);
      },
    ),
  );
});

test('a trace that was printed before it is no part of it', () => {
  const trace = 'goroutine 7 [running]:\nhost.PollForMMDSOpts(0x1)\n\n';
  const reader = new StackDumpReader('PollForMMDSOpts');
  reader.push(trace);
  assert.equal(reader.end(), undefined);
  reader.push(`${trace}a line left open${recorded}`);
  assert.deepEqual(reader.end(), expected);
});

test('a frame outside of any goroutine is no poller', () => {
  const reader = new StackDumpReader('PollForMMDSOpts');
  reader.push('SIGQUIT: quit\n\nhost.PollForMMDSOpts(0x1)\ngoroutine 1 [running]:\nmain.main()\n');
  assert.deepEqual(reader.end(), { goroutines: 1, pollers: 0, bootPollers: 0 });
});

test('another function is counted apart, and who created a goroutine does not count', () => {
  const reader = new StackDumpReader('PostInit');
  reader.push(recorded);
  // PostInit is named only as the creator of pollers.
  assert.deepEqual(reader.end(), { goroutines: 18, pollers: 0, bootPollers: 0 });
});

test('a dump of hundreds of megabytes is counted as it streams by', () => {
  const reader = new StackDumpReader('PollForMMDSOpts');
  const times = 20_000;
  for (let i = 0; i < times; i++) reader.push(recorded);
  assert.deepEqual(reader.end(), {
    goroutines: expected.goroutines * times,
    pollers: expected.pollers * times,
    bootPollers: expected.bootPollers * times,
  });
});

test('a line that never ends is kept up to a bound', () => {
  const reader = new StackDumpReader('PollForMMDSOpts');
  // More than any string can hold.
  for (let i = 0; i < 600; i++) reader.push('x'.repeat(1 << 20));
  reader.push('\n');
  reader.push(recorded);
  assert.deepEqual(reader.end(), expected);
});

test('no dump, no count; and nothing that is printed makes it fail', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (pieces) => {
      const reader = new StackDumpReader('PollForMMDSOpts');
      for (const piece of pieces) reader.push(piece);
      assert.equal(reader.end(), undefined);
    }),
  );
  const reader = new StackDumpReader('PollForMMDSOpts');
  for (let i = 0; i < 100; i++) reader.push('x'.repeat(1 << 20));
  assert.equal(reader.end(), undefined);
});
