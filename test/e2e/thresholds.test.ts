import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Result, resultSchema } from '../../src/results/schema.js';
import { saveResult } from '../../src/results/store.js';
import { storm } from '../fixtures/results.js';
import { run } from './cli.js';
import { install } from './install.js';

const { bin, out } = install();
const saved = await saveResult(out, storm());

function verdicts({ checks }: Result): string[][] {
  return checks.map(({ expression, verdict }) => [expression, verdict]);
}

test('run judges its result, keeps the checks in it, and ends with 1', {
  timeout: 60_000,
}, async () => {
  const holds = 'guarded.pollers.peak<=1';
  const fails = 'unguarded.pollers.peak<=1';
  const command = [bin, 'run', '--outage', '1s', '--json', '--out', join(out, 'runs')];
  const good = await run([...command, '--threshold', holds]);
  assert.equal(good.code, 0, good.stderr);
  assert.deepEqual(verdicts(resultSchema.parse(JSON.parse(good.stdout))), [[holds, 'pass']]);
  const bad = await run([...command, '--threshold', holds, '--threshold', fails]);
  assert.equal(bad.code, 1, bad.stderr);
  assert.deepEqual(verdicts(resultSchema.parse(JSON.parse(bad.stdout))), [
    [holds, 'pass'],
    [fails, 'fail'],
  ]);
});

test('report judges a saved result', { timeout: 60_000 }, async () => {
  for (const [expression, expected] of [
    ['guarded.pollers.peak<=1', 0],
    ['guarded.pollers.peak>1', 1],
    ['guarded.ports.exhaustedAtMs>1s', 1],
  ] as const) {
    const command = [bin, 'report', saved, '--json', '--threshold', expression];
    const { code, stdout } = await run(command);
    assert.equal(code, expected);
    const verdict = expected === 0 ? 'pass' : 'fail';
    const last = verdicts(resultSchema.parse(JSON.parse(stdout))).at(-1);
    assert.deepEqual(last, [expression, verdict]);
  }
});

for (const [expression, says] of [
  ['guarded.pollers.peek<=1', /Did you mean guarded.pollers.peak\?/],
  ['guarded.pollers.peak', /compares nothing/],
  ['', /a threshold is empty/],
] as const) {
  for (const command of [
    ['run', '--outage', '60s'],
    ['report', saved],
  ]) {
    test(`${command[0]} --threshold '${expression}' ends before any lane starts`, async () => {
      const args = [...command, '--threshold', expression];
      const { code, stdout, stderr } = await run([bin, ...args], { cwd: out });
      assert.equal(code, 2);
      assert.match(stderr, says);
      assert.equal(stderr.trimEnd().split('\n').length, 1);
      assert.equal(stdout, '');
      assert.ok(!readdirSync(out).includes('bench-results'));
    });
  }
}
