import assert from 'node:assert/strict';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { checks } from '../../src/experiment/doctor/index.js';
import { UNSHARE, whyNoNamespaces } from '../../src/lane/network/namespaces.js';
import { resultSchema } from '../../src/results/schema.js';
import { type Finished, ordinaryUser, run } from './cli.js';
import { install } from './install.js';

const { bin, folder, out } = install();
const noNamespaces = await whyNoNamespaces();
const skip = noNamespaces === undefined ? false : `no network namespaces: ${noNamespaces}`;

interface Checked {
  check: string;
  state: string;
  text: string;
  mend: string | null;
}

async function doctor(prefix: readonly string[] = [], env = process.env, where = out) {
  const { code, stdout, stderr } = await run([bin, 'doctor', '--json', '--out', where], {
    prefix,
    env,
    cwd: out,
  });
  const found = (JSON.parse(stdout || stderr) as { checks: Checked[] }).checks;
  const states = new Map(found.map((one) => [one.check, one]));
  return { code, found, of: (check: string) => states.get(check) };
}

const storm = (...args: string[]) => [
  bin,
  'run',
  '--agent',
  'guarded',
  '--outage',
  '1s',
  '--out',
  out,
  ...args,
];

/** One line that says what and the mend, and no result. */
function assertRefused({ code, stderr, stdout }: Finished, what: RegExp, mend: RegExp): void {
  assert.equal(code, 2, stderr);
  assert.equal(stdout, '');
  const line = stderr.trim().split('\n').at(-1) ?? '';
  assert.match(line, /^envd-bench: /);
  assert.match(line, what);
  assert.match(line, mend);
  assert.doesNotMatch(stderr, /at .*\.js:\d+|unexpected/);
}

/** In a user namespace that allows no other one inside it. */
const NO_NAMESPACES = [
  ...UNSHARE,
  'sh',
  '-c',
  'ip link set lo up && echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"',
  'sh',
];

test('doctor: one finding a check, and the exit code that its worst one has', async () => {
  const { code, found } = await doctor();
  assert.deepEqual(
    found.map(({ check }) => check),
    checks.map(({ name }) => name),
  );
  const has = (state: string) => found.some((one) => one.state === state);
  assert.equal(code, has('missing') ? 2 : has('limited') ? 1 : 0);
  const { stdout } = await run([bin, 'doctor'], {
    cwd: out,
    env: { ...process.env, COLUMNS: '999' },
  });
  const lines = stdout.split('\n').filter((line) => /^[✔–✘+x-] /.test(line));
  assert.equal(lines.length, checks.length);
  // It was asked, and nothing more.
  assert.ok(!existsSync(join(out, 'bench-results')));
});

test('few open files: doctor says so, and run refuses the faults that need more', {
  skip,
}, async () => {
  const prefix = ['prlimit', '--nofile=256:256'];
  assert.equal((await doctor(prefix)).of('open files')?.state, 'limited');
  const hang = [bin, 'run', '--fault', 'hang', '--out', out];
  assertRefused(
    await run(hang, { prefix }),
    /needs 664 open files.* limit is 256/,
    /ulimit -n 664/,
  );
  const { code, stderr } = await run(storm('--json'), { prefix });
  assert.equal(code, 0, stderr);
});

test('too few open files to start at all: still a line with the mend', async () => {
  const { code, stderr } = await run(storm(), { prefix: ['prlimit', '--nofile=30:30'] });
  assert.equal(code, 2);
  assert.match(stderr.trim().split('\n').at(-1) ?? '', /^envd-bench: .*ulimit -n/);
});

test('few processes: doctor says so, and run refuses before it starts', async (t) => {
  const user = ordinaryUser() ?? [];
  const prefix = ['prlimit', '--nproc=40:40', ...user];
  const { code, stderr } = await run(storm(), { prefix });
  if (user.length === 0 && /EAGAIN/.test(stderr)) {
    t.skip('this user has more processes already than the test allows');
    return;
  }
  assert.equal(code, 2);
  const line = stderr.trim().split('\n').at(-1) ?? '';
  assert.match(line, /needs up to 53 processes and threads, and of the 40/);
  assert.match(line, /ulimit -u/);
  assert.equal((await doctor(prefix)).of('processes')?.state, 'missing');
});

test('no user namespaces: doctor says why, run measures on loopback and says so', {
  skip,
  timeout: 60_000,
}, async () => {
  const { of } = await doctor(NO_NAMESPACES);
  assert.equal(of('isolation')?.state, 'limited');
  assert.match(of('isolation')?.text ?? '', /^loopback .*user\.max_user_namespaces is 0/);
  const { code, stdout, stderr } = await run(storm('--json'), { prefix: NO_NAMESPACES });
  assert.equal(code, 0, stderr);
  const result = resultSchema.parse(JSON.parse(stdout));
  assert.equal(result.scenario.isolation, 'loopback');
  assert.match(result.scenario.isolationReason ?? '', /user\.max_user_namespaces is 0/);
  assert.equal(result.lanes[0]?.connections.source, 'agent');
  const asked = await run(storm('--isolation', 'netns'), { prefix: NO_NAMESPACES });
  assertRefused(asked, /user\.max_user_namespaces is 0/, /--isolation loopback/);
});

test('no unshare and setpriv on PATH: doctor names them, run measures on loopback', async () => {
  const tools = join(folder, 'tools');
  mkdirSync(tools);
  for (const tool of ['sh', 'taskset', 'env']) {
    const found = (process.env.PATH ?? '')
      .split(delimiter)
      .find((one) => existsSync(join(one, tool)));
    symlinkSync(join(found ?? '/usr/bin', tool), join(tools, tool));
  }
  symlinkSync(process.execPath, join(tools, 'node'));
  const env = { ...process.env, PATH: tools };
  const { of } = await doctor([], env);
  assert.match(of('tools')?.text ?? '', /unshare, setpriv/);
  assert.match(of('isolation')?.text ?? '', /^loopback .*setpriv is not installed/);
  const { code, stdout, stderr } = await run(storm('--json'), { env });
  assert.equal(code, 0, stderr);
  assert.equal(resultSchema.parse(JSON.parse(stdout)).scenario.isolation, 'loopback');
});

test('an --out that cannot be written to: doctor and run say the same', async () => {
  const where = '/proc/envd-bench';
  const { code, of } = await doctor([], process.env, where);
  assert.equal(code, 2);
  const finding = of('--out');
  assert.equal(finding?.state, 'missing');
  const { stderr } = await run([bin, 'run', '--out', where]);
  assert.ok(stderr.includes(finding?.text ?? 'no text'), stderr);
});
