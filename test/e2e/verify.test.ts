import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { whyNoNamespaces } from '../../src/lane/network/namespaces.js';
import { type Verdict, type Verification, verifySchema } from '../../src/results/verify.js';
import { ordinaryUser, processesWith, run, start, until } from './cli.js';
import { install } from './install.js';
import { type StandIn, standIn } from './stand-ins.js';

const { bin, folder, out } = install();
const noNamespaces = await whyNoNamespaces();
const skip = noNamespaces === undefined ? false : `no network namespaces: ${noNamespaces}`;

async function verify(
  expectedCode: number,
  args: readonly string[],
  prefix: readonly string[] = [],
): Promise<Verification> {
  const command = [bin, 'verify', '--json', ...args];
  const { code, stdout, stderr } = await run(command, { cwd: out, prefix });
  assert.equal(code, expectedCode, `${stderr}\n${stdout.slice(0, 2_000)}`);
  return verifySchema.parse(JSON.parse(stdout));
}

function assertVerdicts(
  verification: Verification,
  expected: Partial<Record<Verdict, readonly string[]>>,
): void {
  assert.equal(verification.complete, true);
  for (const [verdict, names] of Object.entries(expected)) {
    for (const name of names) {
      const found = verification.scenarios.find(({ scenario }) => scenario === name);
      assert.equal(found?.verdict, verdict, `${name}: ${JSON.stringify(found, null, 1)}`);
    }
  }
}

const ONE_TO_FOUR = ['at-most-one', 'delivers', 'repoll-after-success', 'repoll-after-timeout'];
const AGAINST = ['--base', 'unguarded'];

/** How fast answers come is asserted of no agent but by hand: these runs share their machine. */
const QUICK = ['--skip', 'control-plane'];

test('unguarded: no cap, and empty identities, but nothing is lost', {
  skip,
  timeout: 120_000,
}, async () => {
  const verification = await verify(1, ['--agent', 'unguarded', ...QUICK]);
  assertVerdicts(verification, {
    fail: ['at-most-one', 'empty-store'],
    pass: [
      ...['repoll-after-success', 'repoll-after-timeout', 'late-ready', 'pause-resume'],
      ...['delivers', 'bad-requests'],
    ],
    skipped: ['version'],
  });
  assert.equal(verification.version, '0.6.13');
});

test('guarded: capped, and what compare-and-swap loses', { skip, timeout: 120_000 }, async () => {
  const verification = await verify(1, ['--agent', 'guarded', ...AGAINST, ...QUICK]);
  assertVerdicts(verification, {
    pass: [...ONE_TO_FOUR, 'poller-crash', 'version', 'bad-requests'],
    fail: ['late-ready', 'stale-identity', 'empty-store'],
  });
  const lateReady = verification.scenarios.find(({ scenario }) => scenario === 'late-ready');
  const inits = lateReady?.timeline.filter(({ kind }) => kind === 'init') ?? [];
  assert.equal(
    inits.reduce((sum, { count }) => sum + count, 0),
    3,
    'the time line has the warm-up, the first and the last /init',
  );
  // The last thing that happened is that MMDS was ready, and nobody asked it.
  assert.equal(lateReady?.timeline.at(-1)?.text, 'MMDS: none');
});

test('guarded-pr: as guarded, but a throw ends it for good', {
  skip,
  timeout: 120_000,
}, async () => {
  assertVerdicts(await verify(1, ['--agent', 'guarded-pr', ...AGAINST, ...QUICK]), {
    pass: [...ONE_TO_FOUR, 'version', 'bad-requests'],
    fail: ['late-ready', 'stale-identity', 'empty-store', 'poller-crash'],
  });
});

test('guarded-rearm: keeps every promise, also as an ordinary user', {
  skip,
  timeout: 120_000,
}, async () => {
  const prefix = ordinaryUser() ?? [];
  // A folder that nobody has made yet: it is the user's own.
  const mine = ['--out', join(out, 'mine')];
  const verification = await verify(0, ['--agent', 'guarded-rearm', ...AGAINST, ...mine], prefix);
  assert.equal(verification.scenarios.length, 12);
  assertVerdicts(verification, { pass: verification.scenarios.map(({ scenario }) => scenario) });
});

test('loopback, with repeats: the same verdicts, and what cannot be seen there is skipped', {
  timeout: 120_000,
}, async () => {
  const only = ['--only', 'at-most-one,stale-identity,poller-crash', '--repeat', '2'];
  const where = ['--isolation', 'loopback'];
  const verification = await verify(1, ['--agent', 'guarded', ...only, ...where]);
  assertVerdicts(verification, {
    pass: ['at-most-one'],
    fail: ['stale-identity'],
    skipped: ['poller-crash'],
  });
  for (const { runs } of verification.scenarios)
    assert.equal(runs.pass + runs.fail + runs.skipped, 2);
});

function program(name: StandIn): string[] {
  return ['--agent', `${name}="${standIn(join(folder, 'stand-ins'), name)}"`];
}

test('a program that never polls is no perfect guard', { skip, timeout: 120_000 }, async () => {
  const only = ['--only', 'delivers,bad-requests,version', '--base', 'unguarded'];
  const verification = await verify(1, [...program('mute'), ...only]);
  assertVerdicts(verification, { fail: ['delivers', 'bad-requests', 'version'] });
  assert.match(verification.scenarios[0]?.reason ?? '', /does not poll at all/);
});

test('a program that dies fails that scenario, and the rest go on', {
  skip,
  timeout: 120_000,
}, async () => {
  const verification = await verify(1, [...program('mortal'), '--only', 'delivers,empty-store']);
  assert.equal(verification.scenarios.length, 2);
  for (const { verdict, reason } of verification.scenarios) {
    assert.equal(verdict, 'fail');
    assert.equal(reason, 'the agent exited 7; it said: I cannot go on');
  }
});

test('a program that tells nobody who it is is skipped, never passed', {
  skip,
  timeout: 120_000,
}, async () => {
  const verification = await verify(0, [...program('secretive'), '--only', 'delivers']);
  assertVerdicts(verification, { skipped: ['delivers'] });
  assert.match(verification.scenarios[0]?.reason ?? '', /neither \/envs nor \/run\/e2b/);
});

const realEnvd = process.env.ENVD_BINARY;
test('a real envd: what the built-in unguarded agent shows', {
  skip: skip || (realEnvd ? false : 'no ENVD_BINARY'),
  timeout: 120_000,
}, async () => {
  const only = 'delivers,repoll-after-success,stale-identity,pause-resume,empty-store,bad-requests';
  const agent = ['--agent', `envd="${realEnvd}" -isnotfc -no-cgroups`];
  assertVerdicts(await verify(1, [...agent, '--only', only]), {
    pass: only.split(',').filter((name) => name !== 'empty-store'),
    fail: ['empty-store'],
  });
});

test('Ctrl-C: the verdicts so far, exit code 130, nothing left', { timeout: 120_000 }, async () => {
  const running = start([bin, 'verify', '--agent', 'guarded', '--json'], { cwd: out });
  await until('a first verdict', () => running.stderr().includes(': pass ('));
  running.child.kill('SIGINT');
  const { code, stdout, stderr } = await running.finished;
  assert.equal(code, 130, stderr);
  const verification = verifySchema.parse(JSON.parse(stdout));
  assert.equal(verification.complete, false);
  assert.ok(verification.scenarios.length >= 1 && verification.scenarios.length < 12);
  await until('nothing left', () => processesWith(folder).length === 0);
});

/** What was typed, and what the one line on stderr must name. */
const cases: [string[], RegExp][] = [
  [[], /agent/],
  [['--agent', 'gaurded'], /unknown agent "gaurded".*Did you mean guarded\?/],
  [['--agent', './envd'], /--agent "\.\/envd" has no name.*NAME=COMMAND/],
  [['--agent', 'x=/no/such/program'], /there is no program/],
  [['--agent', 'guarded', '--base', 'gaurded'], /Did you mean guarded\?/],
  [['--agent', 'guarded', '--only', 'late-redy'], /Did you mean late-ready\?/],
  [['--agent', 'guarded', '--skip', 'nothing'], /unknown scenario "nothing"/],
  [['--agent', 'guarded', '--only', 'version', '--skip', 'version'], /leave no scenario/],
  [['--agent', 'guarded', '--repeat', '0'], /--repeat "0"/],
  [['--agent', 'x=/bin/true', '--isolation', 'loopback'], /is a program.*--isolation netns/],
];
for (const [args, expected] of cases) {
  test(`envd-bench verify ${args.join(' ')}`, { timeout: 60_000 }, async () => {
    const { code, stdout, stderr } = await run([bin, 'verify', ...args], { cwd: out });
    assert.equal(code, 2, stderr);
    assert.match(stderr, expected);
    assert.equal(stderr.trimEnd().split('\n').length, 1, `more than one line: ${stderr}`);
    assert.equal(stdout, '');
  });
}

test('a program that ends at once: one line with what it said, exit code 2', {
  skip,
  timeout: 60_000,
}, async () => {
  const agent = ['--agent', `gone=sh -c "echo no luck >&2; exit 3"`];
  const { code, stdout, stderr } = await run([bin, 'verify', ...agent], { cwd: out });
  assert.equal(code, 2, stderr);
  assert.match(stderr, /agent gone: exited 3; it said: no luck/);
  assert.equal(stdout, '');
});
