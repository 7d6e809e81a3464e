import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { onLines } from '../../src/base/lines.js';

async function linesOf(pieces: readonly Buffer[], longest: number): Promise<string[]> {
  const stream = new PassThrough();
  const lines: string[] = [];
  onLines(stream, longest, (line) => lines.push(line));
  for (const piece of pieces) stream.write(piece);
  stream.end();
  await turn();
  await turn();
  return lines;
}

test('wherever the stream is cut, the lines are the same', async () => {
  const text = fc.array(fc.constantFrom('a', 'é', '🙂', '\n', '\r\n', ' '), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(text, fc.array(fc.nat(), { maxLength: 5 }), async (words, cuts) => {
      const whole = Buffer.from(words.join(''));
      const at = [0, ...cuts.map((cut) => cut % (whole.length + 1)).sort((a, b) => a - b)];
      const pieces = at.map((from, i) => whole.subarray(from, at[i + 1]));
      const expected = whole.toString().split(/\r?\n/);
      if (expected.at(-1) === '') expected.pop();
      assert.deepEqual(await linesOf(pieces, 100), expected);
    }),
  );
});

test('a line is kept up to its bound, and the next one is whole', async () => {
  const long = Buffer.from('x'.repeat(70));
  assert.deepEqual(await linesOf([long, long, Buffer.from('\nnext\n')], 100), [
    'x'.repeat(100),
    'next',
  ]);
});

test('a line without an end keeps no memory', async () => {
  const stream = new PassThrough();
  const lines: string[] = [];
  onLines(stream, 1_000, (line) => void lines.push(line));
  const piece = Buffer.alloc(1 << 20, 'x');
  // More than any string can hold.
  for (let i = 0; i < 600; i++) {
    if (!stream.write(piece)) await turn();
  }
  assert.equal(lines.length, 0);
  stream.end('\n');
  await turn();
  await turn();
  assert.equal(lines[0]?.length, 1_000);
});
