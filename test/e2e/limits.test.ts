import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { availableParallelism } from 'node:os';
import { delimiter, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { checks } from '../../src/experiment/doctor/index.js';
import { UNSHARE, whyNoNamespaces } from '../../src/lane/network/namespaces.js';
import { readProc } from '../../src/observe/proc/counters.js';
import { resultSchema } from '../../src/results/schema.js';
import { type Finished, ordinaryUser, run, start, until } from './cli.js';
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

/** A folder with the tools that a run needs, but for these: to be the whole PATH. */
function toolsWithout(...missing: string[]): string {
  const tools = mkdtempSync(join(folder, 'tools-'));
  const all = ['sh', 'env', 'taskset', 'unshare', 'setpriv', 'ip', 'mount', 'awk', 'cat'];
  for (const tool of all.filter((name) => !missing.includes(name))) {
    const places = (process.env.PATH ?? '').split(delimiter);
    const found = [...places, '/usr/sbin', '/sbin'].find((one) => existsSync(join(one, tool)));
    symlinkSync(realpathSync(join(found ?? '/usr/bin', tool)), join(tools, tool));
  }
  symlinkSync(process.execPath, join(tools, 'node'));
  return tools;
}

/** A cgroup of its own with half a processor, v2 or v1; undefined where this user can make none. */
function halfAProcessor(t: TestContext): string | undefined {
  const name = `envd-bench-half-${process.pid}`;
  const kinds = [
    { root: '/sys/fs/cgroup', limits: [['cpu.max', '50000 100000']] },
    {
      root: '/sys/fs/cgroup/cpu',
      limits: [
        ['cpu.cfs_period_us', '100000'],
        ['cpu.cfs_quota_us', '50000'],
      ],
    },
  ] as const;
  for (const { root, limits } of kinds) {
    if (!existsSync(join(root, 'cgroup.procs'))) continue;
    const group = join(root, name);
    try {
      mkdirSync(group);
    } catch {
      continue;
    }
    t.after(() => rmdirSync(group));
    try {
      for (const [file, text] of limits) writeFileSync(join(group, file), text);
      return group;
    } catch {
      // The controller is not delegated to where the tests run.
    }
  }
  return undefined;
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

/** Threads of all processes of this user, which may be many where the tests run beside others. */
function threadsOfThisUser(): number {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .reduce((sum, pid) => {
      const status = readProc(`/proc/${pid}/status`) ?? '';
      const uid = Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]);
      const threads = Number(/^Threads:\s+(\d+)/m.exec(status)?.[1]);
      return uid === process.getuid?.() ? sum + threads : sum;
    }, 0);
}

test('few processes: doctor says so, and run refuses before it starts', async () => {
  const user = ordinaryUser();
  // Room for the command itself, and not for its lanes.
  const limit = 40 + (user ? 0 : threadsOfThisUser());
  const prefix = ['prlimit', `--nproc=${limit}:${limit}`, ...(user ?? [])];
  const { code, stderr } = await run(storm(), { prefix });
  assert.equal(code, 2, stderr);
  const line = stderr.trim().split('\n').at(-1) ?? '';
  assert.match(
    line,
    new RegExp(`needs up to 53 processes and threads, and of the ${limit} that this user`),
  );
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
  const env = { ...process.env, PATH: toolsWithout('unshare', 'setpriv') };
  const { of } = await doctor([], env);
  assert.match(of('tools')?.text ?? '', /unshare, setpriv/);
  assert.match(of('isolation')?.text ?? '', /^loopback .*setpriv is not installed/);
  const { code, stdout, stderr } = await run(storm('--json'), { env });
  assert.equal(code, 0, stderr);
  assert.equal(resultSchema.parse(JSON.parse(stdout)).scenario.isolation, 'loopback');
});

test('no taskset: a guest of fewer processors is refused, one of them all is not', {
  skip: availableParallelism() < 2 && 'one processor only',
}, async () => {
  const env = { ...process.env, PATH: toolsWithout('taskset') };
  const alone = ['--isolation', 'loopback', '--json'];
  assertRefused(
    await run(storm(...alone, '--guest-cpus', '1'), { env }),
    /taskset is not installed, and a guest of 1 processors/,
    /--guest-cpus host/,
  );
  const { code, stderr } = await run(storm(...alone, '--guest-cpus', 'host'), { env });
  assert.equal(code, 0, stderr);
});

/** In a mount namespace where one folder is empty. */
const hiding = (...folders: string[]) => [
  ...['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c'],
  `for one in ${folders.join(' ')}; do mount -t tmpfs none $one; done; exec "$0" "$@"`,
];

test('no ip: doctor names it, run measures on loopback', { skip }, async () => {
  const env = { ...process.env, PATH: toolsWithout('ip') };
  // Lanes look into these too.
  const prefix = hiding('/usr/sbin', '/usr/local/sbin');
  const { of } = await doctor(prefix, env);
  assert.match(of('tools')?.text ?? '', /\bip\b/);
  assert.match(of('isolation')?.text ?? '', /^loopback .*ip is not installed/);
  const { code, stdout, stderr } = await run(storm('--json'), { prefix, env });
  assert.equal(code, 0, stderr);
  assert.equal(resultSchema.parse(JSON.parse(stdout)).scenario.isolation, 'loopback');
});

test('another program on the port: one line with the mend, by mmds and by agent', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await until('it listens', () => server.listening);
  const address = server.address();
  const port = String(typeof address === 'object' ? address?.port : 0);
  try {
    const commands = [
      ['mmds', '--port', port],
      ['agent', '--port', port, '--mmds', '127.0.0.1:8169'],
    ];
    for (const command of commands) {
      const refused = await run([bin, ...command]);
      assertRefused(refused, /another program listens on it/, /Give another --port/);
      assert.equal(refused.stderr.trim().split('\n').length, 1);
    }
  } finally {
    server.close();
  }
});

test('half a processor, by a cgroup: the result knows it, and says what could not follow', async (t) => {
  const group = halfAProcessor(t);
  if (group === undefined) {
    t.skip('this user can make no cgroup with a quota here');
    return;
  }
  const inside = ['sh', '-c', 'echo $$ > "$0" && exec "$@"', join(group, 'cgroup.procs')];
  // 10,000 attempts a second and more: half a processor cannot.
  const heavy = ['--agent', 'unguarded', '--interval', '10ms', '--outage', '6s'];
  const { stdout, stderr } = await run([bin, 'run', ...heavy, '--json', '--out', out], {
    prefix: inside,
  });
  const result = resultSchema.parse(JSON.parse(stdout || stderr));
  assert.equal(result.machine.cpus, 0.5);
  const [lane] = result.lanes;
  assert.ok(lane && lane.overload.length > 0, 'nothing is marked');
  assert.ok((lane.connections.total ?? 0) < (lane.predicted.connectionsTotal ?? 0));
  // However slow it was, what was counted is counted right.
  if (lane.connections.source === 'kernel' && lane.agentCount !== null) {
    const { attempts, localFailures } = lane.agentCount;
    assert.equal(lane.connections.total, attempts - localFailures);
  }
});

test('the wall clock of the main process jumps back an hour in mid-run: no figure knows of it', async () => {
  const jump = join(folder, 'jump.mjs');
  const where = join(out, 'jumping');
  // From the moment on when there is a journal: the storm is on.
  writeFileSync(
    jump,
    `import { existsSync, readdirSync } from 'node:fs';
    const { now } = Date;
    const where = ${JSON.stringify(where)};
    const isOn = () =>
      existsSync(where) && readdirSync(where).some((name) => name.endsWith('.partial.jsonl'));
    Date.now = () => now() - (isOn() ? 3_600_000 : 0);`,
  );
  const command = [process.execPath, '--import', jump, bin, 'run', '--agent', 'guarded'];
  const { code, stdout, stderr } = await run([
    ...[...command, '--outage', '3s', '--json', '--out', where],
  ]);
  assert.equal(code, 0, stderr);
  const { lanes, complete } = resultSchema.parse(JSON.parse(stdout));
  assert.equal(complete, true);
  const [lane] = lanes;
  assert.equal(lane?.init.sent, 30);
  const times = lane?.series.tMs ?? [];
  assert.ok(times.length >= 20 && times.every((tMs, i) => tMs > (times[i - 1] ?? -1)));
});

test('a machine that sleeps in mid-run: a note says for how long', { skip }, async () => {
  const uptime = join(folder, 'uptime');
  const boot = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]);
  writeFileSync(uptime, `${boot} 0\n`);
  // What a suspend does to a process is nothing, but for the time since the boot.
  const prefix = [
    ...['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c'],
    'mount --bind "$0" /proc/uptime && exec "$@"',
    uptime,
  ];
  const where = join(out, 'asleep');
  const command = [bin, 'run', '--agent', 'guarded', '--isolation', 'loopback', '--json'];
  const running = start([...command, '--outage', '4s', '--out', where], { prefix });
  const isUnderWay = () =>
    existsSync(where) && readdirSync(where).some((name) => name.endsWith('.partial.jsonl'));
  await until('the storm is on', isUnderWay);
  writeFileSync(uptime, `${boot + 7_200} 0\n`);
  const { code, stdout, stderr } = await running.finished;
  assert.equal(code, 0, stderr);
  const { notes, lanes } = resultSchema.parse(JSON.parse(stdout));
  // Less what passed until then, which the time since the boot did not show here.
  const slept = notes.filter(({ text }) => /the machine was suspended for (1h|2h)/.test(text));
  assert.equal(slept.length, 1, JSON.stringify(notes));
  assert.equal(lanes[0]?.init.sent, 40);
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
