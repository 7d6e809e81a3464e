import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { changeOf } from '../../src/report/change.js';

test('a change as a person reads it', () => {
  const cases: [number | null, number | null, string][] = [
    [600, 1, '−99.8 %'],
    [1_000_000, 1, '−>99.9 %'],
    [600, 0, '−100 %'],
    [100, 130, '+30 %'],
    [100, 350, '+250 %'],
    [3.2, 3.3, '+3.1 %'],
    [100_000, 100_001, '+<0.1 %'],
    [1, 600, '600x'],
    [5, 5, 'unchanged'],
    [0, 0, 'unchanged'],
    [0, 7, 'was 0, now 7'],
    [null, 7, '–'],
    [7, null, '–'],
  ];
  for (const [first, second, text] of cases) assert.equal(changeOf(first, second).text, text);
});

test('better and worse: only where a figure has a better way, and the two differ', () => {
  assert.equal(changeOf(600, 1, 'less').judged, 'better');
  assert.equal(changeOf(1, 600, 'less').judged, 'worse');
  assert.equal(changeOf(0, 1, 'less').judged, 'worse');
  assert.equal(changeOf(1, 0, 'less').judged, 'better');
  assert.equal(changeOf(99, 100, 'more').judged, 'better');
  assert.equal(changeOf(100, 99, 'more').judged, 'worse');
  assert.equal(changeOf(100, 99).judged, null);
  assert.equal(changeOf(1, 1, 'less').judged, null);
  assert.equal(changeOf(null, 1, 'less').judged, null);
});

test('no figures make a text that is no number', () => {
  const figure = fc.oneof(fc.constant(null), fc.constant(0), fc.double({ min: 0, noNaN: true }));
  fc.assert(
    fc.property(figure, figure, (first, second) => {
      assert.match(
        changeOf(first, second, 'less').text,
        /^(?:[+−][<>]?\d+(?:\.\d)? %|[\d,.]+x|unchanged|was 0, now [\d,]+|–)$/,
      );
    }),
  );
});
