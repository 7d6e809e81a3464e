import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { run } from './cli.js';
import { install } from './install.js';

const { bin } = install();
const SCRIPTS = resolve('.github/actions/envd-bench');
const folder = mkdtempSync(join(tmpdir(), 'envd bench action '));
after(() => rmSync(folder, { recursive: true, force: true }));

/** The variables that action.yml sets, and a few of GitHub's. */
function variables(name: string, more: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    ...process.env,
    ENVD_BENCH: bin,
    BASE: '',
    HEAD: '',
    AGENT_ARGS: '-isnotfc -no-cgroups',
    INTERVAL: '100ms',
    OUTAGE: '1s',
    FAULT: 'refused',
    POLLER: 'envd',
    REPEAT: '1',
    THRESHOLDS: '',
    MAX_REGRESSION: '',
    FOLDER: join(folder, name),
    GITHUB_OUTPUT: join(folder, `${name}.output`),
    ...more,
  };
}

async function bench(name: string, more: NodeJS.ProcessEnv) {
  const env = variables(name, more);
  const { code, stderr } = await run([join(SCRIPTS, 'bench.sh')], { env });
  const read = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  return {
    code,
    stderr,
    output: read(join(folder, `${name}.output`)),
    comment: read(join(folder, name, 'comment.md')),
  };
}

test('the action measures, compares and leaves a comment', { timeout: 120_000 }, async () => {
  const got = await bench('good', {
    REPEAT: '2',
    THRESHOLDS: '\nhead.pollers.peak<=1\n   \nbase.init.sent==10\n',
    MAX_REGRESSION: 'pollers.peak=0%\n',
  });
  assert.equal(got.code, 0, got.stderr);
  assert.equal(got.output, `folder=${join(folder, 'good')}\nstatus=0\n`);
  assert.equal(readdirSync(join(folder, 'good', 'results')).length, 2);
  assert.match(got.comment, /^### envd-bench compare: [\s\S]*\n### envd-bench: ✅ passed/);
  assert.match(got.comment, /`base → head` \| `pollers.peak` \| 10 \| 1 \|/);
});

test('a failed threshold is a status, and the comment is there', { timeout: 120_000 }, async () => {
  const got = await bench('failed', { THRESHOLDS: 'base.pollers.peak<=1' });
  assert.equal(got.code, 0, got.stderr);
  assert.match(got.output, /status=1\n/);
  assert.match(got.comment, /❌ failed/);
});

test('bad input ends the action, and nothing is said to be there', async () => {
  for (const [more, says] of [
    [{ THRESHOLDS: 'nonsense' }, /threshold "nonsense"/],
    [{ OUTAGE: '5' }, /5s or 5ms/],
    [{ FAULT: '$(touch x)' }, /unknown fault/],
    [{ BASE: '/bin/true' }, /both binaries/],
    [{ BASE: '/no such/envd', HEAD: '/no such/envd' }, /no program "\/no such\/envd"/],
  ] as const) {
    const { code, stderr, output } = await bench('bad', more);
    assert.equal(code, 2, stderr);
    assert.match(stderr, says);
    assert.equal(output, '');
  }
});
