import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cleanText } from '../../src/base/text.js';
import {
  displayWidth,
  padEnd,
  padStart,
  toAscii,
  truncate,
  wrap,
} from '../../src/report/layout.js';

const anyText = fc
  .string({ unit: fc.constantFrom('a', 'b', ' ', '漢', '😀', 'e\u0301', 'ü', '-'), maxLength: 120 })
  .map((text) => cleanText(text));

test('width is counted in cells, not in characters', () => {
  assert.equal(displayWidth('abc'), 3);
  assert.equal(displayWidth('漢字'), 4);
  assert.equal(displayWidth('😀'), 2);
  assert.equal(displayWidth('e\u0301'), 1);
  assert.equal(displayWidth('\u001B[31mabc\u001B[39m'), 3);
});

test('wrap loses nothing but the spaces at which it breaks, and keeps to the width', () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 4, max: 60 }), (text, width) => {
      const lines = wrap(text, width, '  ');
      for (const line of lines) assert.ok(displayWidth(line) <= width, JSON.stringify(line));
      assert.equal(lines.join('').replaceAll(' ', ''), text.replaceAll(' ', ''));
      for (const line of lines.slice(1)) assert.ok(line.startsWith('  '));
    }),
  );
});

test('wrap breaks at spaces where it can', () => {
  assert.deepEqual(wrap('one two three', 8), ['one two', 'three']);
  assert.deepEqual(wrap('one twothreefour', 8, '> '), ['one', '> twothr', '> eefour']);
});

test('truncate and pad give the width asked for', () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 1, max: 60 }), (text, width) => {
      const cut = truncate(text, width);
      assert.ok(displayWidth(cut) <= width);
      assert.equal(displayWidth(padEnd(cut, width)), width);
      assert.equal(displayWidth(padStart(cut, width)), width);
      if (displayWidth(text) <= width) assert.equal(cut, text);
    }),
  );
});

test('toAscii leaves one character for one', () => {
  assert.equal(toAscii('– … 漢 ok'), '- . ? ok');
});
