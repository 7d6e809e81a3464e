import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client, request } from 'undici';
import { type Counters, newCounters } from '../../src/agents/counters.js';
import { currentNetns, ORIGIN_NETNS } from '../../src/base/interlock.js';
import { whyNoNamespaces } from '../../src/lane/network/namespaces.js';
import { parseNetCounters } from '../../src/observe/proc/counters.js';
import { until } from '../base/until.js';
import { assertAddsUp } from './counted.js';
import { hangs, type ScriptedRequest, scriptMmds, serves } from './scripted-mmds.js';

const PROGRAM = fileURLToPath(new URL('../../src/agents/process.js', import.meta.url));

interface CountersLine {
  counters: Counters;
  final: boolean;
  loops: { atMs: number; activeMs: number }[];
}

/** The agent in a process of its own. */
class Process {
  readonly child: ChildProcess;
  readonly exited: Promise<unknown[]>;
  stdout = '';
  stderr = '';

  constructor(t: TestContext, args: readonly string[], shell = '') {
    const { [ORIGIN_NETNS]: _, ...env } = process.env;
    const command = [process.execPath, PROGRAM, ...args];
    this.child = spawn('sh', ['-c', `${shell} exec "$@"`, 'sh', ...command], { env });
    this.exited = once(this.child, 'close');
    this.child.stdout?.on('data', (piece) => {
      this.stdout += piece;
    });
    this.child.stderr?.on('data', (piece) => {
      this.stderr += piece;
    });
    t.after(() => this.child.kill('SIGKILL'));
  }

  get lines(): CountersLine[] {
    return this.stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** An agent that answers, with MMDS as scripted. */
async function startAgent(
  t: TestContext,
  script: (request: ScriptedRequest) => void,
  args: readonly string[] = [],
  shell = '',
): Promise<{ agent: Process; origin: string }> {
  const mmds = await scriptMmds(t, script);
  const port = await freePort();
  const own = ['--mmds-host=127.0.0.1', `--mmds-port=${mmds.address.port}`, '--tick-ms=5'];
  const all = [`--port=${port}`, '--access-token=stored', ...own, ...args];
  const agent = new Process(t, all, shell);
  const origin = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 400; tries++) {
    if (agent.child.exitCode !== null) throw new Error(agent.stderr);
    const status = await request(`${origin}/health`).then(
      ({ statusCode }) => statusCode,
      () => undefined,
    );
    if (status === 204) return { agent, origin };
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`not ready: ${agent.stderr}`);
}

async function init(origin: string): Promise<void> {
  const body = '{"accessToken":"stored"}';
  const { statusCode } = await request(`${origin}/init`, { method: 'POST', body });
  assert.equal(statusCode, 204);
}

test('it prints its counters again and again, one line each', async (t) => {
  const { agent } = await startAgent(t, hangs);
  await until('three lines', () => agent.lines.length >= 3);
  for (const { counters, final } of agent.lines) {
    assert.deepEqual(Object.keys(counters), Object.keys(newCounters()));
    assert.equal(final, false);
  }
});

test('SIGTERM ends the polling and prints the final counters; a second one ends it with 0', async (t) => {
  const { agent, origin } = await startAgent(t, hangs);
  for (let i = 0; i < 10; i++) await init(origin);
  await until('all have asked', () => agent.lines.at(-1)?.counters.attempts === 10);
  agent.child.kill('SIGTERM');
  await until('the final counters', () => agent.lines.at(-1)?.final === true);
  // Requests are still answered.
  assert.equal((await request(`${origin}/health`)).statusCode, 204);
  agent.child.kill('SIGTERM');
  assert.deepEqual(await agent.exited, [0, null]);
  const finals = agent.lines.filter(({ final }) => final);
  assert.equal(finals.length, 1);
  const counters = finals[0]?.counters ?? newCounters();
  assert.equal(agent.lines.at(-1)?.final, true);
  assert.equal(counters.attempts, 10);
  assert.equal(counters.cancelled, 10);
  assert.equal(counters.pollersRunning, 0);
  assertAddsUp(counters);
  assert.equal(agent.stderr, '');
});

test('SIGTERM in mid-storm: the final counters add up', async (t) => {
  const { agent, origin } = await startAgent(t, ({ socket }) => socket.resetAndDestroy());
  for (let i = 0; i < 10; i++) await init(origin);
  await until('a storm', () => (agent.lines.at(-1)?.counters.attempts ?? 0) >= 100);
  agent.child.kill('SIGTERM');
  await until('the final counters', () => agent.lines.at(-1)?.final === true);
  const counters = agent.lines.at(-1)?.counters ?? newCounters();
  assertAddsUp(counters);
  assert.equal(counters.pollersRunning, 0);
});

test('without a file descriptor nothing is attempted: that is counted apart', async (t) => {
  // Enough for Node to load its modules, not for as many pollers.
  const { agent, origin } = await startAgent(t, hangs, [], 'ulimit -n 200;');
  const client = new Client(origin);
  t.after(() => client.destroy());
  const body = '{"accessToken":"stored"}';
  for (let i = 0; i < 250; i++) {
    const { statusCode } = await client.request({ method: 'POST', path: '/init', body });
    assert.equal(statusCode, 204);
  }
  await until('descriptors are short', () => {
    return (agent.lines.at(-1)?.counters.descriptorFailures ?? 0) > 0;
  });
  agent.child.kill('SIGTERM');
  await until('the final counters', () => agent.lines.at(-1)?.final === true);
  const counters = agent.lines.at(-1)?.counters ?? newCounters();
  assertAddsUp(counters);
  assert.ok(counters.attempts < 250);
  assert.equal(counters.refused + counters.failedOtherwise + counters.localFailures, 0);
});

test('it keeps the identity in files', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'envd-bench-test-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const dir = join(folder, 'run', 'e2b');
  const script = serves({ instanceID: 'i-1', envID: 'e-1' });
  const { agent, origin } = await startAgent(t, script, [`--run-dir=${dir}`]);
  await init(origin);
  await until('it has ended', () => agent.lines.at(-1)?.counters.pollersFinished === 1);
  assert.equal(readFileSync(join(dir, '.E2B_SANDBOX_ID'), 'utf8'), 'i-1');
  assert.equal(readFileSync(join(dir, '.E2B_TEMPLATE_ID'), 'utf8'), 'e-1');
});

test('a poll that throws is no end of the agent', async (t) => {
  const script = serves({ instanceID: 'i-1', envID: 'e-1' });
  const { agent, origin } = await startAgent(t, script, [
    '--run-dir=/dev/null/e2b',
    '--boot-poller',
  ]);
  await init(origin);
  await until('both have ended', () => {
    const counters = agent.lines.at(-1)?.counters;
    return counters?.pollersSpawned === 2 && counters.pollersRunning === 0;
  });
  assert.equal(agent.lines.at(-1)?.counters.pollersFinished, 0);
  assert.equal((await request(`${origin}/health`)).statusCode, 204);
});

test('--end-with-stdin: it ends with its standard input', async (t) => {
  const { agent } = await startAgent(t, hangs, ['--end-with-stdin']);
  assert.equal(agent.child.exitCode, null);
  agent.child.stdin?.end();
  assert.deepEqual(await agent.exited, [0, null]);
});

test('it ends when nobody reads its counters any more', async (t) => {
  const { agent } = await startAgent(t, hangs);
  agent.child.stdout?.destroy();
  assert.deepEqual(await agent.exited, [0, null]);
});

/** Starts what must fail, and returns its exit code and its only line. */
async function failing(
  t: TestContext,
  args: readonly string[],
): Promise<{ code: unknown; line: string }> {
  const agent = new Process(t, args);
  const [code] = await agent.exited;
  assert.match(agent.stderr, /^[^\n]+\n$/, 'one line');
  return { code, line: agent.stderr.trim() };
}

test('a port that is taken: exit 2, and one line with the port', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const { code, line } = await failing(t, [`--port=${port}`, '--mmds-host=127.0.0.1']);
  assert.equal(code, 2);
  assert.ok(line.includes(`127.0.0.1:${port}`));
  assert.match(line, /EADDRINUSE/);
});

const bad: [comment: string, args: string[], says: RegExp][] = [
  ['an unknown guard', ['--guard=gaurded'], /unknown agent "gaurded". Did you mean guarded\?/],
  ['an unknown poller', ['--poller=envy'], /unknown poller "envy". Did you mean envd\?/],
  ['an unknown option', ['--gard=guarded'], /--gard/],
  ['a port that is none', ['--port=abc'], /port/i],
  ['an MMDS port that is none', ['--mmds-port=abc'], /--mmds-port/],
  ['a time that is none', ['--tick-ms=abc'], /--tick-ms/],
  ['a time of nothing', ['--lifetime-ms=0'], /--lifetime-ms/],
];
for (const [comment, args, says] of bad) {
  test(`${comment}: exit 2, and one line`, async (t) => {
    const { code, line } = await failing(t, ['--mmds-host=127.0.0.1', ...args]);
    assert.match(line, says);
    assert.equal(code, 2);
  });
}

/** Runs the agent for a while in a network namespace where 169.254.169.254 is a local address. */
function runInside(shell: string, env: Record<string, string>) {
  const setUp = 'ip link set lo up && ip addr add 169.254.169.254/32 dev lo';
  const run = 'timeout -s KILL 3 "$@" >/dev/null; echo "status $?"; cat /proc/self/net/snmp';
  const agent = [process.execPath, PROGRAM, '--port=0', '--boot-poller', '--tick-ms=5'];
  const args = [
    '--user',
    '--map-root-user',
    '--net',
    'sh',
    '-c',
    `${setUp}; ${shell} ${run}`,
    'sh',
  ];
  const { stdout, stderr } = spawnSync('unshare', [...args, ...agent], {
    encoding: 'utf8',
    env: { PATH: `${process.env.PATH}:/usr/sbin:/sbin`, ...env },
    timeout: 30_000,
  });
  return {
    status: Number(/^status (\d+)/m.exec(stdout)?.[1]),
    attempts: parseNetCounters(stdout, 'Tcp').get('ActiveOpens'),
    stderr,
  };
}

test('link-local MMDS outside a namespace of its own: refused, and nothing is sent', async (t) => {
  const why = await whyNoNamespaces();
  if (why !== undefined) {
    t.skip(why);
    return;
  }
  // All of this happens inside a namespace, so that nothing could get out if the interlock failed.
  for (const [shell, env] of [
    ['', {}],
    [`export ${ORIGIN_NETNS}=$(readlink /proc/self/ns/net);`, {}],
  ] as const) {
    const { status, attempts, stderr } = runInside(shell, env);
    assert.equal(status, 2);
    assert.equal(attempts, 0);
    assert.match(stderr, /^refusing to send to 169\.254\.169\.254[^\n]*\n$/);
  }
  // And the counter does count: where it is allowed, the boot poller's attempts are seen.
  const allowed = runInside('', { [ORIGIN_NETNS]: currentNetns() });
  assert.ok((allowed.attempts ?? 0) > 0, allowed.stderr);
});

test('it tells how busy each of its threads is', async (t) => {
  const { agent, origin } = await startAgent(t, serves);
  const threads = Math.min(8, availableParallelism());
  const busiest = (): number[] =>
    (agent.lines.at(-1)?.loops ?? []).slice(1).map(({ activeMs }) => activeMs);
  await until('a line', () => agent.lines.length > 0);
  assert.equal(agent.lines[0]?.loops.length, 1 + threads);
  const before = busiest();
  // As many pollers as there are threads, dealt out in turn.
  for (let i = 0; i < threads; i++) await init(origin);
  await until('every thread has done something', () =>
    busiest().every((activeMs, at) => activeMs > (before[at] ?? 0)),
  );
});
