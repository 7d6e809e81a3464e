import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { whyNoNamespaces } from '../../src/lane/network/namespaces.js';
import { type LaneResult, type Result, resultSchema } from '../../src/results/schema.js';
import { type CliOptions, ordinaryUser, processesWith, run, start, until } from './cli.js';
import { install } from './install.js';

const { bin, out } = install();
const noNamespaces = await whyNoNamespaces();
const skip = noNamespaces === undefined ? false : `no network namespaces: ${noNamespaces}`;
const options = { skip, timeout: 120_000 };

// In /tmp, where a program's own /tmp would hide it; and readable for everybody.
const folder = mkdtempSync(join(tmpdir(), 'stand in '));
after(() => rmSync(folder, { recursive: true, force: true }));
chmodSync(folder, 0o755);
const agent = join(folder, 'agent.mjs');
copyFileSync(resolve('test/stand-in/agent.mjs'), agent);
chmodSync(agent, 0o755);

const quotedAgent = `"${agent}"`;

async function measure(
  expectedCode: number,
  args: readonly string[],
  more: CliOptions = {},
): Promise<Result> {
  const command = [bin, 'run', '--outage', '4s', '--poller', 'envd', '--json', '--out', out];
  const { code, stdout, stderr } = await run([...command, ...args], { cwd: out, ...more });
  assert.equal(code, expectedCode, stderr);
  return resultSchema.parse(JSON.parse(stdout));
}

function lane({ lanes }: Result, name: string): LaneResult {
  const found = lanes.find((one) => one.agent === name);
  assert.ok(found, `no lane ${name}`);
  return found;
}

/** The built-in lane beside a misbehaving program has all its figures. */
function assertUnharmed(result: Result, inits = 40): void {
  const { init, trouble, pollers } = lane(result, 'unguarded');
  assert.equal(trouble, null);
  assert.equal(init.answered, inits);
  assert.equal(pollers.peak, inits);
}

const users: [string, CliOptions][] = [['the user of the tests', {}]];
const other = ordinaryUser();
if (other) {
  const env = { ...process.env, HOME: out };
  users.push(['an ordinary user', { prefix: other, env }]);
}

for (const [name, more] of users) {
  test(`a program beside the reference agent, as ${name}`, options, async () => {
    const args = ['--agent', 'unguarded', '--agent', `mine=${quotedAgent} well`];
    const result = await measure(0, args, more);
    assertUnharmed(result);
    const mine = lane(result, 'mine');
    assert.equal(mine.kind, 'external');
    assert.equal(mine.version, 'stand-in');
    assert.equal(mine.init.answered, 40);
    assert.equal(mine.connections.source, 'kernel');
    assert.equal(mine.connections.localFailures, null);
    assert.equal(mine.agentCount, null);
    // 20 attempts/s a poller, as in the reference agent's envd model; an estimate, for it is no Go.
    assert.equal(mine.pollers.source, 'kernel');
    assert.ok((mine.pollers.peak ?? 0) > 25 && (mine.pollers.peak ?? 0) < 55);
    assert.equal(mine.kernel.attemptFails, mine.connections.total);
    assert.ok((mine.process.threadsPeak ?? 0) > 1);
  });
}

test('outstanding attempts are counted as pollers while MMDS hangs', options, async () => {
  const result = await measure(0, [
    '--fault',
    'blackhole',
    '--agent',
    `mine=${quotedAgent} silent`,
  ]);
  const mine = lane(result, 'mine');
  assert.equal(mine.connections.total, 0);
  assert.equal(mine.pollers.peak, 0);
  const claims = result.claims.filter(({ verdict }) => verdict === 'reproduced');
  assert.deepEqual(claims, [], 'no attempt seen is never a pass');
});

test('a program that ends in mid-storm: the other lane goes on', options, async () => {
  const result = await measure(1, [
    ...['--agent', 'unguarded', '--agent', `mine=${quotedAgent} dies 1000`],
  ]);
  assertUnharmed(result);
  const mine = lane(result, 'mine');
  assert.match(mine.trouble ?? '', /^the agent of lane mine exited 7 \d\.\d s into the outage$/);
  assert.ok((mine.series.tMs.at(-1) ?? 0) < 3_000);
  assert.equal(result.complete, true);
});

test('a program behind a shell that is stopped is given up', options, async (t) => {
  const mark = `behind-${process.pid}`;
  // Of /tmp the shell sees the folder alone that it is started in.
  const hidden = join(out, 'agent.mjs');
  copyFileSync(agent, hidden);
  const command = `mine=/bin/sh -c "'${hidden}' well ${mark}; true"`;
  const args = ['--outage', '30s', '--poller', 'envd', '--json', '--out', out];
  const running = start([bin, 'run', ...args, '--agent', command], { cwd: out });
  t.after(() => running.child.kill('SIGKILL'));
  const program = () => processesWith(mark).find((line) => line.includes(` node ${hidden}`));
  await until('it is in mid-storm', () => /\ds of/.test(running.stderr()) && !!program());
  process.kill(Number.parseInt(program() ?? '', 10), 'SIGSTOP');
  const { code, stdout, stderr } = await running.finished;
  assert.equal(code, 1, stderr);
  const result = resultSchema.parse(JSON.parse(stdout));
  assert.match(
    lane(result, 'mine').trouble ?? '',
    /^a process of the agent of lane mine was stopped \(SIGSTOP\) \d+\.\d s into the outage$/,
  );
});

test('a program finds its signals as any other does', options, async () => {
  const agent = `exec perl -e 'open F, q(/proc/self/status); print STDERR grep { /^SigIgn/ } <F>; exit 3'`;
  const command = `mine=/bin/sh -c ${JSON.stringify(agent)}`;
  const refused = await run([bin, 'run', '--outage', '1s', '--out', out, '--agent', command], {
    cwd: out,
  });
  assert.equal(refused.code, 2);
  const ignored = /SigIgn: ([0-9a-f]{16})/.exec(refused.stderr)?.[1];
  assert.ok(ignored, refused.stderr);
  // Signals 2 and 3, SIGINT and SIGQUIT.
  assert.equal(BigInt(`0x${ignored}`) & 0b110n, 0n, ignored);
});

test(
  'a mount that cannot be made read-only ends the run before the program starts',
  options,
  async () => {
    const tools = join(out, 'tools');
    mkdirSync(tools, { recursive: true });
    const mount = join(tools, 'mount');
    // As where the kernel refuses: everything but the remount of /.
    writeFileSync(
      mount,
      `#!/bin/sh
case "$*" in *remount,bind,ro*" /") exit 32 ;; esac
PATH=\${PATH#*:} exec mount "$@"
`,
    );
    chmodSync(mount, 0o755);
    const mark = join(out, 'started');
    const command = `mine=/bin/sh -c "echo started > '${mark}'; exit 3"`;
    const { code, stderr } = await run(
      [bin, 'run', '--outage', '1s', '--out', out, '--agent', command],
      { cwd: out, env: { ...process.env, PATH: `${tools}:${process.env.PATH}` } },
    );
    assert.equal(code, 2);
    assert.match(stderr, /cannot make \/.* read-only$/m);
    assert.ok(!existsSync(mark));
  },
);

test('an interrupt does not wait for a program that gives no stack dump', options, async () => {
  const args = ['--outage', '60s', '--poller', 'envd', '--json', '--out', out];
  const command = `mine=${quotedAgent} forks unheard-${process.pid}`;
  const running = start([bin, 'run', ...args, '--agent', command], { cwd: out });
  await until('a first line', () => /\ds of/.test(running.stderr()));
  running.child.kill('SIGINT');
  const { code, stdout, stderr } = await running.finished;
  assert.equal(code, 130, stderr);
  // It was asked, given up, and told all else: not ended from outside with nothing to show.
  const { init, trouble } = lane(resultSchema.parse(JSON.parse(stdout)), 'mine');
  assert.equal(trouble, null);
  assert.ok((init.sent ?? 0) > 0);
});

test('a trace that it prints in mid-run is no stack dump', options, async () => {
  const result = await measure(0, ['--agent', `mine=${quotedAgent} traces`]);
  const { pollers, process } = lane(result, 'mine');
  assert.equal(pollers.source, 'kernel');
  assert.equal(process.goroutines, null);
});

test('a program that answers /init with 500', options, async () => {
  const result = await measure(0, [
    ...['--agent', 'unguarded', '--agent', `mine=${quotedAgent} fails-init`],
  ]);
  assertUnharmed(result);
  assert.deepEqual(lane(result, 'mine').init.statuses, { 500: 40 });
});

test('a program that prints megabytes', options, async () => {
  const result = await measure(0, [
    ...['--agent', 'unguarded', '--agent', `mine=${quotedAgent} chatters`],
  ]);
  assertUnharmed(result);
});

test(
  'children that outlive it, and are deaf to SIGTERM, are gone with the run',
  options,
  async () => {
    const mark = `outlives-${process.pid}`;
    const result = await measure(0, [
      ...['--agent', 'unguarded', '--agent', `mine=${quotedAgent} forks ${mark}`],
    ]);
    assertUnharmed(result);
    await until('all are gone', () => processesWith(mark).length === 0);
  },
);

for (const [name, more] of users) {
  test(
    `it reaches neither network, files, processes nor clock of the host, as ${name}`,
    options,
    async () => {
      const before = Date.now();
      const secret = join(folder, 'secret.txt');
      writeFileSync(secret, 'untouched');
      chmodSync(secret, 0o666);
      const witness = spawn('sleep', ['60']);
      const server = createServer().listen(0, '127.0.0.1');
      let callers = 0;
      server.on('connection', (socket) => {
        callers++;
        socket.destroy();
      });
      await until('the trap listens', () => server.listening);
      const address = server.address();
      const port = typeof address === 'object' ? address?.port : 0;
      const forbidden = join(folder, 'forbidden.json');
      writeFileSync(forbidden, JSON.stringify({ file: secret, pid: witness.pid, port }));
      try {
        // It dies with what it found on its lips.
        const command = `mine=${quotedAgent} escapes "${forbidden}"`;
        const result = await measure(1, ['--agent', command], more);
        const words = lane(result, 'mine').trouble ?? '';
        assert.match(words, /held clock/);
        for (const what of ['files', 'remount', 'processes', 'processes listed', 'network']) {
          assert.match(words, new RegExp(`held ${what}`));
        }
        assert.doesNotMatch(words, /ESCAPED/);
        assert.equal(readFileSync(secret, 'utf8'), 'untouched');
        assert.equal(callers, 0);
        assert.ok(Math.abs(Date.now() - before) < 120_000, 'the clock was set');
      } finally {
        witness.kill();
        server.close();
      }
    },
  );
}

/** What cannot run at all: exit 2 and one line, before or while the lanes are set up. */
const refused: [string, RegExp][] = [
  ['mine=./no-such-program', /there is no program "\.\/no-such-program"/],
  ['mine=no-such-program-in-path', /there is no program/],
  ['mine=./notes.txt', /is not an executable file.*chmod \+x/],
  ['mine=./text', /is neither a script nor a Linux program/],
  ['mine=./foreign', /is for another processor/],
  ['mine=', /empty command/],
  ['=./text', /no usable name/],
  ['a b=./text', /no usable name/],
  [
    `mine=${quotedAgent} exits-at-once`,
    /the agent of lane mine exited 3 in set-up; it said: no such configuration/,
  ],
  [`mine=${quotedAgent} unhealthy`, /agent mine: GET \/health on port 49983.*status 500/],
  [`mine=${quotedAgent} no-http`, /agent mine: GET \/health on port 49983/],
  [`mine=${quotedAgent} never-ready`, /agent mine: GET \/health.*ECONNREFUSED/],
];
writeFileSync(join(out, 'notes.txt'), 'notes');
writeFileSync(join(out, 'text'), 'just text that is executable');
chmodSync(join(out, 'text'), 0o755);
const foreign = Buffer.alloc(64);
foreign.write('\x7fELF\x02\x01\x01', 'latin1');
foreign.writeUInt16LE(0xf3f3, 18);
writeFileSync(join(out, 'foreign'), foreign);
chmodSync(join(out, 'foreign'), 0o755);

for (const [text, expected] of refused) {
  test(`--agent ${text.replace(folder, '…')}`, options, async () => {
    const { code, stdout, stderr } = await run(
      [bin, 'run', '--outage', '1s', '--json', '--out', out, '--agent', text],
      { cwd: out },
    );
    assert.equal(code, 2, stderr);
    assert.equal(stdout, '');
    const lines = stderr
      .trimEnd()
      .split('\n')
      .filter((line) => !line.startsWith('isolation: '));
    assert.equal(lines.length, 1, stderr);
    assert.match(lines[0] ?? '', expected);
  });
}

test('never on loopback', { timeout: 60_000 }, async () => {
  const { code, stderr } = await run(
    [bin, 'run', '--isolation', 'loopback', '--agent', `mine=${quotedAgent}`, '--out', out],
    { cwd: out },
  );
  assert.equal(code, 2);
  assert.match(stderr, /agent mine is a program, and on loopback/);
});

const binary = process.env.ENVD_BINARY;
test('a real envd: an exact count from its stack dump', {
  ...options,
  skip: binary ? skip : 'ENVD_BINARY is not set',
}, async () => {
  const result = await measure(0, [
    ...['--agent', 'unguarded', '--agent', `real=${binary} -isnotfc -no-cgroups`],
  ]);
  assertUnharmed(result);
  const real = lane(result, 'real');
  assert.deepEqual([real.pollers.peak, real.pollers.source], [40, 'stack-dump']);
  assert.equal(real.kernel.attemptFails, real.connections.total);
});
