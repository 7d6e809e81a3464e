import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { whyNoNamespaces } from '../../src/lane/network/namespaces.js';
import { resultSchema } from '../../src/results/schema.js';
import { processesWith, type Running, start, until } from './cli.js';
import { install } from './install.js';

const { bin, folder, out } = install();
// Of its own, so that what others leave there meanwhile is not taken for ours.
process.env.TMPDIR = join(folder, 'tmp');
mkdirSync(process.env.TMPDIR);
const noNamespaces = await whyNoNamespaces();

/** What a run could leave behind on this machine. */
function traces(): Record<string, string[]> {
  return {
    processes: processesWith(folder),
    interfaces: Object.keys(networkInterfaces()).sort(),
    devices: readFileSync('/proc/net/dev', 'utf8').match(/^\s*[^\s:]+(?=:)/gm) ?? [],
    mounts: readFileSync('/proc/self/mounts', 'utf8').split('\n'),
    temporary: readdirSync(tmpdir()),
    unfinished: readdirSync(out).filter((name) => !name.endsWith('.json')),
  };
}

async function assertNothingLeft(before: Record<string, string[]>): Promise<void> {
  const same = (): boolean => JSON.stringify(traces()) === JSON.stringify(before);
  for (let i = 0; i < 40 && !same(); i++) await new Promise((wake) => setTimeout(wake, 50));
  assert.deepEqual(traces(), before);
}

function begin(...more: string[]): Running {
  return start([bin, 'run', '--outage', '20s', '--json', '--out', out, ...more], { cwd: out });
}

/** How far a run is when it is met: the lanes are being built, or the storm is on. */
const moments: [string, (running: Running) => Promise<void>][] = [
  ['in set-up', () => until('lanes are begun', () => processesWith('lane/host.js').some(ours))],
  ['in the storm', (running) => until('a first line', () => running.stderr().includes('4s of'))],
];

function ours(line: string): boolean {
  return line.includes(folder);
}

for (const isolation of ['netns', 'loopback']) {
  const skip =
    isolation === 'netns' && noNamespaces !== undefined
      ? `no network namespaces: ${noNamespaces}`
      : false;

  test(`${isolation}: a run that ends leaves nothing`, { skip, timeout: 120_000 }, async () => {
    const before = traces();
    const running = start([bin, 'run', '--isolation', isolation, '--outage', '1s', '--out', out], {
      cwd: out,
    });
    assert.equal((await running.finished).code, 0);
    await assertNothingLeft(before);
  });

  for (const [moment, reached] of moments) {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      test(`${isolation}: ${signal} ${moment}`, { skip, timeout: 120_000 }, async (t) => {
        const before = traces();
        const saved = readdirSync(out);
        const running = begin('--isolation', isolation);
        await reached(running);
        running.child.kill(signal);
        const { code, stdout, stderr } = await running.finished;
        assert.equal(code, 130, stderr);
        if (moment === 'in set-up') assertNothingSaved(stdout, stderr, saved);
        else assertPartial(t, stdout);
        await assertNothingLeft(before);
      });
    }

    test(`${isolation}: kill -9 ${moment}`, { skip, timeout: 120_000 }, async () => {
      const before = traces();
      const running = begin('--isolation', isolation);
      await reached(running);
      running.child.kill('SIGKILL');
      await running.finished;
      // What was measured is data, and stays until somebody has read it: crash-safe.test.ts does.
      const journals = readdirSync(out).filter((name) => name.endsWith('.partial.jsonl'));
      assert.equal(journals.length, moment === 'in the storm' ? 1 : 0);
      for (const name of journals) rmSync(join(out, name));
      await assertNothingLeft(before);
    });
  }

  test(`${isolation}: a second Ctrl-C leaves at once`, { skip, timeout: 120_000 }, async () => {
    const before = traces();
    const running = begin('--isolation', isolation);
    await until('a first line', () => running.stderr().includes('4s of'));
    running.child.kill('SIGINT');
    await until('the first is heard', () => running.stderr().includes('interrupted: '));
    running.child.kill('SIGINT');
    const { code } = await running.finished;
    assert.equal(code, 130);
    await assertNothingLeft(before);
  });
}

test('a run whose output nobody reads ends with the second Ctrl-C', {
  timeout: 60_000,
}, async (t) => {
  const before = traces();
  const pipe = join(folder, 'unread');
  execFileSync('mkfifo', [pipe]);
  const errors = join(folder, 'errors');
  // Both ends are open, and the pipe is full: whatever is written waits.
  const script = 'exec 5<>"$0"; head -c 65536 /dev/zero >&5; exec "$@" >"$0" 2>"$ERRORS"';
  const child = spawn(
    'sh',
    ['-c', script, pipe, bin, 'run', '--isolation', 'loopback', '--outage', '1s', '--out', out],
    { cwd: out, env: { ...process.env, ERRORS: errors }, stdio: 'ignore' },
  );
  t.after(() => child.kill('SIGKILL'));
  const told = () => (existsSync(errors) ? readFileSync(errors, 'utf8') : '');
  await until('the result is saved', () => told().includes('result: '));
  child.kill('SIGINT');
  await until('the first is heard', () => told().includes('interrupted: '));
  child.kill('SIGINT');
  await until('it has ended', () => child.exitCode !== null);
  assert.equal(child.exitCode, 130);
  for (const path of [pipe, errors]) rmSync(path);
  await assertNothingLeft(before);
});

test('a lane that stands still when the main process is killed is gone with it', {
  skip: noNamespaces !== undefined && `no network namespaces: ${noNamespaces}`,
  timeout: 120_000,
}, async (t) => {
  const before = traces();
  const running = begin('--isolation', 'netns');
  await until('a first line', () => running.stderr().includes('4s of'));
  t.after(() => {
    for (const left of processesWith(folder)) process.kill(Number.parseInt(left, 10), 'SIGKILL');
  });
  // Stopped, they hear of nothing: only the kernel ends them.
  const hosts = processesWith('lane/host.js').filter(ours);
  assert.ok(hosts.length >= 2);
  for (const host of hosts) process.kill(Number.parseInt(host, 10), 'SIGSTOP');
  running.child.kill('SIGKILL');
  await running.finished;
  for (const name of readdirSync(out).filter((one) => one.endsWith('.partial.jsonl'))) {
    rmSync(join(out, name));
  }
  await assertNothingLeft(before);
});

/** Nothing was measured: no document that looks like a result, and a line that says so. */
function assertNothingSaved(stdout: string, stderr: string, saved: readonly string[]): void {
  assert.equal(stdout, '');
  assert.match(stderr, /interrupted before anything was measured: nothing is saved/);
  assert.deepEqual(readdirSync(out), saved);
}

/** Both on stdout and in its file: a whole document that says it is a part. */
function assertPartial(t: TestContext, stdout: string): void {
  const result = resultSchema.parse(JSON.parse(stdout));
  assert.equal(result.complete, false);
  const file = readFileSync(join(out, `${result.id}.json`), 'utf8');
  assert.equal(resultSchema.parse(JSON.parse(file)).complete, false);
  t.diagnostic(`pollers so far: ${result.lanes[0]?.pollers.peak}`);
  for (const { init } of result.lanes) {
    assert.ok(Number(init.sent) > 0);
    assert.equal(init.sent, Number(init.answered) + Number(init.timedOut) + Number(init.failed));
  }
}
