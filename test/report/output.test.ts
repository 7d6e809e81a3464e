import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { UsageError } from '../../src/base/errors.js';
import { writeReport } from '../../src/report/output.js';

const dir = mkdtempSync(join(tmpdir(), 'envd-bench-output-'));
after(() => rmSync(dir, { recursive: true, force: true }));

test('a report is written whole, over an older one, and leaves nothing beside it', async () => {
  const folder = join(dir, 'plain');
  mkdirSync(folder);
  const file = join(folder, 'report.html');
  await writeReport(file, 'first', []);
  await writeReport(file, 'second', []);
  assert.equal(readFileSync(file, 'utf8'), 'second');
  assert.deepEqual(readdirSync(folder), ['report.html']);
});

test('a link stays a link', async () => {
  const file = join(dir, 'real.html');
  writeFileSync(file, 'old');
  symlinkSync(file, join(dir, 'link.html'));
  await writeReport(join(dir, 'link.html'), 'new', []);
  assert.equal(readFileSync(file, 'utf8'), 'new');
});

test('a device is written to, and not replaced', async () => {
  await writeReport('/dev/null', 'text', []);
  assert.equal(readFileSync('/dev/null', 'utf8'), '');
});

test('what cannot be: one line, and nothing is written', async () => {
  const source = join(dir, 'result.json');
  writeFileSync(source, '{}');
  symlinkSync(source, join(dir, 'alias.json'));
  for (const [file, what] of [
    [join(dir, 'no-such-folder', 'report.html'), /there is no such folder/],
    [dir, /is a folder/],
    ['', /is a folder/],
    [join(source, 'report.html'), /cannot write/],
    [source, /is the result that is to be reported/],
    [join(dir, 'alias.json'), /is the result that is to be reported/],
    [join(dir, 'x'.repeat(300)), /cannot write/],
  ] as const) {
    await assert.rejects(writeReport(file, 'text', [source]), (error) => {
      assert.ok(error instanceof UsageError);
      assert.match(error.message, what);
      assert.ok(!error.message.includes('\n'));
      return true;
    });
  }
  assert.equal(readFileSync(source, 'utf8'), '{}');
  assert.ok(readdirSync(dir).every((name) => !name.endsWith('.tmp')));
});
