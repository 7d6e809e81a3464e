import assert from 'node:assert/strict';
import { test } from 'node:test';
import { figure, intoDocument, section } from '../../bench/markdown.js';
import { goalOf } from '../../bench/tables/goal.js';

test('a figure has its spread beside it; a single one, and a reason, stand alone', () => {
  assert.equal(figure({ median: 23_456.7, min: 22_000, max: 24_001 }), '23,457 (22,000..24,001)');
  assert.equal(figure({ median: 0.5, min: 0.25, max: 0.7501 }), '0.500 (0.250..0.750)');
  assert.equal(figure({ median: 2, min: 2, max: 2 }), '2.00');
  assert.equal(figure('failed: a | b\nc'), 'failed: a \\| b c');
});

test('a section goes between its marks, and leaves what people wrote', () => {
  const first = intoDocument('# Performance\n', new Map([['start', 'old']]));
  const written = `${first}\nWhat the profile showed.\n`;
  const twice = intoDocument(
    written,
    new Map([
      ['start', 'new'],
      ['growth', 'more'],
    ]),
  );
  assert.equal(
    twice,
    '# Performance\n\n<!-- bench: start -->\nnew\n<!-- end: start -->\n\nWhat the profile showed.\n\n' +
      '<!-- bench: growth -->\nmore\n<!-- end: growth -->\n',
  );
});

test('a goal is met by all of its parts, missed by one, and may be unmeasured', () => {
  const parts = [
    { name: 'p99', value: 1, isMet: true },
    { name: 'max', value: 30, isMet: false },
  ];
  assert.deepEqual(goalOf('slip', parts), {
    text: 'slip',
    measured: 'p99 1.00, max 30.0',
    isMet: false,
  });
  const goals = [
    goalOf('a', parts.slice(0, 1)),
    goalOf('b', parts),
    { text: 'c', measured: 'no compiler', isMet: null },
  ];
  const measure = (): never => assert.fail('a section measures nothing');
  const text = section(
    { head: ['', 'x'], rows: [{ label: 'row', cells: [1] }], goals },
    { name: 'n', title: 'Title', method: 'How.', measure },
  );
  assert.match(text, /^- ✔ met: a: p99 1\.00$/m);
  assert.match(text, /^- ✘ missed: b: /m);
  assert.match(text, /^- – not measured: c: no compiler$/m);
});
