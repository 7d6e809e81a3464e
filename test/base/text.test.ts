import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cleanText } from '../../src/base/text.js';

const cases: [comment: string, dirty: string, clean: string][] = [
  ['ordinary text stays', 'envd 0.6.13', 'envd 0.6.13'],
  ['other scripts stay', 'Überwachung 漢字', 'Überwachung 漢字'],
  ['colour', '\u001B[31mred\u001B[0m', 'red'],
  ['a lone escape', 'a\u001Bb', 'ab'],
  ['8-bit control sequences', 'a\u009B2Jb', 'ab'],
  ['line breaks become spaces', 'a\r\n\tb\u2028c', 'a b c'],
  ['text that runs the other way', 'a\u202Eb\u2066c', 'abc'],
  ['zero-width characters', 'a\u200Bb\u2060c', 'abc'],
  ['spaces around what is dropped', 'a \u200B b', 'a b'],
  ['half a surrogate pair', 'a\uD800b', 'a\uFFFDb'],
  ['piles of marks', `e${'\u0301'.repeat(50)}`, 'e\u0301\u0301'],
];
for (const [comment, dirty, clean] of cases) {
  test(`cleanText: ${comment}`, () => assert.equal(cleanText(dirty), clean));
}

test('cleanText bounds what it returns and marks the cut', () => {
  assert.equal(cleanText('abcdef', 6), 'abcdef');
  assert.equal(cleanText('abcdefg', 6), 'abcde…');
  assert.equal(cleanText('x'.repeat(1e6), 6), 'xxxxx…');
  // What is far behind is not even looked at.
  assert.equal(cleanText(`${' '.repeat(1e6)}a`, 6), '…');
});

test('cleanText never lets a control character through', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.integer({ min: 1, max: 50 }),
      (s, n) => {
        const clean = cleanText(s, n);
        assert.doesNotMatch(clean, /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
        assert.ok([...clean].length <= n);
        assert.equal(cleanText(clean, n), clean);
      },
    ),
  );
});
