import assert from 'node:assert/strict';
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { resultSchema } from '../../src/results/schema.js';
import { SAVED } from '../fixtures/saved.js';
import { run } from './cli.js';
import { install } from './install.js';

const { bin, out } = install();
copyFileSync(SAVED, join(out, 'one.json'));
copyFileSync(SAVED, join(out, 'two.json'));

/** How each format begins, and what of the saved run must be in it. */
const formats: [string, RegExp, RegExp][] = [
  ['table', /^envd-bench 0\.1\.0, run /, /pollers peak.*100 \[100\]/],
  ['markdown', /^### envd-bench: /, /^\| pollers peak \| 100 /m],
  ['html', /^<!DOCTYPE html>\n/, /uPlot=function/],
  ['csv', /^id,repeat,intervalMs,/, /,guarded,guarded,/],
  ['json', /^\{\n {2}"schema": /, /"perSecondPeak": 3782/],
];

for (const [format, start, figure] of formats) {
  test(`report --format ${format}: to stdout, and the same to a file`, async () => {
    const command = [bin, 'report', 'one.json', '--format', format];
    const { code, stdout, stderr } = await run(command, { cwd: out });
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, start);
    assert.match(stdout, figure);
    const written = await run([...command, '--output', `report.${format}`], { cwd: out });
    assert.deepEqual([written.code, written.stdout, written.stderr], [0, '', '']);
    assert.equal(readFileSync(join(out, `report.${format}`), 'utf8'), stdout);
  });
}

test('several results make one document; numbers do not follow the locale', async () => {
  const env = { ...process.env, LC_ALL: 'de_DE.UTF-8', TZ: 'Asia/Tokyo' };
  const files = ['one.json', 'two.json'];
  const json = await run([bin, 'report', ...files, '--json'], { cwd: out, env });
  const documents = (JSON.parse(json.stdout) as unknown[]).map((one) => resultSchema.parse(one));
  assert.equal(documents.length, 2);
  const csv = (command: string[], more = {}) =>
    run([bin, 'report', ...command, '--format', 'csv'], { cwd: out, ...more });
  const [first, both] = [await csv(['one.json']), await csv(files, { env })];
  const rows = first.stdout.split('\r\n').slice(1).join('\r\n');
  assert.equal(both.stdout, first.stdout + rows);
});

test('one bad file of several: one line, exit 2, nothing written', async () => {
  const before = readdirSync(out);
  const command = [bin, 'report', 'one.json', 'gone.json', '--output', 'never.txt'];
  const { code, stdout, stderr } = await run(command, { cwd: out });
  assert.deepEqual([code, stdout], [2, '']);
  assert.match(stderr, /^[^\n]*gone\.json[^\n]*there is no such file[^\n]*\n$/);
  assert.deepEqual(readdirSync(out), before);
});

test('a result is not overwritten by its own report', async () => {
  const command = [bin, 'report', 'one.json', '--output', 'one.json'];
  const { code, stderr } = await run(command, { cwd: out });
  assert.equal(code, 2);
  assert.match(stderr, /is the result that is to be reported/);
  assert.equal(readFileSync(join(out, 'one.json'), 'utf8'), readFileSync(SAVED, 'utf8'));
});
