import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Result } from '../../src/results/schema.js';
import { saveResult } from '../../src/results/store.js';
import { elsewhere, run as runs, withLatencies } from '../results/compare/runs.js';
import { run } from './cli.js';
import { install } from './install.js';

const { bin, out } = install();

async function save(folder: string, results: Result[]): Promise<string> {
  const dir = join(out, folder);
  mkdirSync(dir, { recursive: true });
  for (const result of results) await saveResult(dir, result);
  return folder;
}

const fast = await save('fast', withLatencies(1, 2, 3, 4));
const slow = await save('slow', withLatencies(21, 22, 23, 24));
const other = await save('other', [
  runs({ result: (r) => ({ ...r, scenario: { ...r.scenario, intervalMs: 50 } }) }),
]);
const alone = await save('alone', [
  elsewhere(runs({ result: (r) => ({ ...r, lanes: r.lanes.slice(0, 1) }) }), { cpus: 64 }),
]);
const trouble = { trouble: 'exited 7 at 3.0 s' };
const one = await save('one', [runs({ guarded: (lane) => ({ ...lane, ...trouble }) })]);
const both = await save('both', [
  runs({
    guarded: (lane) => ({ ...lane, ...trouble }),
    unguarded: (lane) => ({ ...lane, ...trouble }),
  }),
]);
const half = await save('half', [runs({ result: (r) => ({ ...r, complete: false }) })]);
mkdirSync(join(out, 'empty'));
mkdirSync(join(out, 'cut'));
writeFileSync(join(out, 'cut', 'a.json'), '{"schema":"envd-bench/result/v1","id":');

const LIMIT = ['--max-regression', 'init.latencyMs.p99=10%'];

const cases: [args: string[], code: number, stdout: RegExp, stderr: RegExp][] = [
  [[fast, fast], 0, /no change shown/, /^$/],
  [[fast, slow], 0, /compare: worse/, /^$/],
  [[fast, slow, ...LIMIT], 1, /1 of 2 limits exceeded/, /^$/],
  [[fast, slow, '--format', 'markdown'], 0, /^### envd-bench compare/, /^$/],
  [[fast, slow, '--json'], 0, /"schema": "envd-bench\/compare\/v1"/, /^$/],
  [[fast, '--base-lane', 'unguarded', '--head-lane', 'guarded'], 0, /unguarded → guarded/, /^$/],
  [[fast, other, '--force'], 0, /warning: the scenarios differ: intervalMs/, /^$/],
  [[fast, alone], 0, /warning: different machines \(cpus 2 and 64\)/, /^$/],
  [[fast, alone, ...LIMIT], 2, /not judged/, /machines differ/],
  [[fast, one], 1, /trouble in guarded .*exited 7/, /^$/],
  [[fast, one, '--format', 'markdown'], 1, /a lane without a verdict/, /^$/],
  [[both, fast], 2, /nothing could be compared/, /nothing could be compared/],
  [[fast, half, '--force'], 2, /nothing could be compared/, /nothing could be compared/],
  [[fast, one, ...LIMIT], 1, /no verdict: the lane had trouble/, /^$/],
  [[fast, other], 2, /^$/, /the scenarios differ: intervalMs is 100, but 50 in/],
  [[fast, 'none'], 2, /^$/, /no such file/],
  [[fast, 'empty'], 2, /^$/, /no result in/],
  [[fast, 'cut'], 2, /^$/, /cut off/],
  [[fast], 2, /^$/, /HEAD is missing/],
  [[fast, slow, '--base-lane', 'guarded'], 2, /^$/, /head-lane/],
  [[fast, slow, '--max-regression', 'x=1%'], 2, /^$/, /"x" is not compared/],
  [[fast, slow, '--alpha', '5'], 2, /^$/, /--alpha/],
];
for (const [args, expected, says, complains] of cases) {
  test(`envd-bench compare ${args.join(' ')}`, { timeout: 60_000 }, async () => {
    const env = { ...process.env, LC_ALL: 'C.UTF-8' };
    const { code, stdout, stderr } = await run([bin, 'compare', ...args], { cwd: out, env });
    assert.equal(code, expected, stderr);
    assert.match(stdout, says);
    assert.match(stderr, complains);
    assert.ok(stderr.trimEnd().split('\n').length === 1, stderr);
  });
}
