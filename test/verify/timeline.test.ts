import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Timeline } from '../../src/verify/timeline.js';

test('what repeats itself between two steps is one line, what comes after the step another', () => {
  const timeline = new Timeline(1_000);
  timeline.add(1_000, 'step', 'MMDS: hang');
  for (const atMs of [1_010, 1_030, 1_050]) timeline.add(atMs, 'poll', 'asks');
  timeline.add(1_020, 'init', 'answered 204');
  timeline.add(1_060, 'step', 'MMDS: none');
  timeline.add(1_070, 'poll', 'asks');
  assert.deepEqual(
    timeline
      .lines()
      .map(({ atMs, untilMs, count, kind, text }) => [atMs, untilMs, count, kind, text]),
    [
      [0, 0, 1, 'step', 'MMDS: hang'],
      [10, 50, 3, 'poll', 'asks'],
      [20, 20, 1, 'init', 'answered 204'],
      [60, 60, 1, 'step', 'MMDS: none'],
      [70, 70, 1, 'poll', 'asks'],
    ],
  );
});

test('an event that is told late stands where it happened', () => {
  const timeline = new Timeline(0);
  timeline.add(20, 'identity', 'second');
  timeline.add(10, 'answer', 'first');
  assert.deepEqual(
    timeline.lines().map(({ text }) => text),
    ['first', 'second'],
  );
});

test('a long time line keeps its beginning and its end, and says what is gone', () => {
  const timeline = new Timeline(0);
  for (let i = 0; i < 1_000; i++) timeline.add(i, 'step', `step ${i}`);
  const lines = timeline.lines();
  assert.ok(lines.length < 200);
  assert.equal(lines[0]?.text, 'step 0');
  assert.equal(lines.at(-1)?.text, 'step 999');
  const gone = lines.find(({ text }) => /left out/.test(text));
  assert.equal(gone?.text, `(${1_000 - (lines.length - 1)} more left out)`);
});

test('no event is lost or counted twice', () => {
  const event = fc.record({
    atMs: fc.integer({ min: 0, max: 100 }),
    kind: fc.constantFrom('init', 'poll', 'answer', 'identity', 'step'),
    text: fc.constantFrom('a', 'b'),
  });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 100 }), (events) => {
      const timeline = new Timeline(0);
      for (const { atMs, kind, text } of events) timeline.add(atMs, kind as 'init', text);
      const lines = timeline.lines();
      assert.equal(
        lines.reduce((sum, { count }) => sum + count, 0),
        events.length,
      );
      assert.ok(lines.every(({ atMs }, i) => atMs >= (lines[i - 1]?.atMs ?? 0)));
    }),
  );
});
