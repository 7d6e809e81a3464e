import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PLAN_SCHEMA, type Plan } from '../../src/results/plan.js';
import { storm } from '../fixtures/results.js';
import { run } from './cli.js';
import { install } from './install.js';

const { bin, out } = install();
const plan = (...args: string[]) => run([bin, 'plan', ...args], { cwd: out });
const one = (text: string) => JSON.parse(text) as Plan;

test('the storm of the issue in a fleet', async () => {
  const { code, stdout, stderr } = await plan(
    '--json',
    ...['--sandboxes-per-host', '200', '--hosts', '50'],
  );
  assert.equal(code, 0, stderr);
  const { schema, agents, calibration } = one(stdout);
  assert.equal(schema, PLAN_SCHEMA);
  assert.equal(calibration, null);
  const [unguarded, guarded] = agents;
  assert.equal(unguarded?.perSandbox.pollersPeak, 600);
  assert.equal(unguarded.perSandbox.connectionsTotal, 720_000);
  assert.equal(unguarded.fleet.pollersPeak, 600 * 200 * 50);
  assert.equal(unguarded.perSandbox.cpuCoresPeak, null, 'not guessed without calibration');
  assert.equal(guarded?.perHost.pollersPeak, 200);
});

test('an answer of --solve, and none', async () => {
  const found = await plan('--json', '--solve', 'outage', '--max-pollers', '300');
  assert.equal(found.code, 0, found.stderr);
  assert.equal(one(found.stdout).solution?.answers[0]?.value, 30_000);
  const none = await plan('--solve', 'interval', '--max-connections-per-second', '1');
  assert.equal(none.code, 1, none.stderr);
  assert.match(none.stdout, /unguarded: no interval up to 1h keeps --max-connections-per-second 1/);
});

test('a sweep as csv and as a page', async () => {
  const csv = await plan('--interval', '50ms..1s', '--outage', '2s', '--format', 'csv');
  assert.equal(csv.code, 0, csv.stderr);
  // Nine intervals, two agents, three sizes, and the header.
  assert.equal(csv.stdout.trimEnd().split('\r\n').length, 9 * 2 * 3 + 1);
  const page = await plan('--interval', '50ms..1s', '--format', 'html', '--output', 'sweep.html');
  assert.equal(page.code, 0, page.stderr);
  const text = readFileSync(join(out, 'sweep.html'), 'utf8');
  assert.match(text, /<polyline points="[\d., ]+"/);
  assert.doesNotMatch(text, /NaN|undefined|https?:/);
});

test('a check holds for a run as the model has it, and fails for one that it misses', async () => {
  const result = storm();
  writeFileSync(join(out, 'storm.json'), JSON.stringify(result));
  const held = await plan('--check', 'storm.json', '--json');
  assert.equal(held.code, 0, held.stderr);
  const { lanes } = JSON.parse(held.stdout) as { lanes: { agent: string }[] };
  assert.deepEqual(
    lanes.map(({ agent }) => agent),
    result.lanes.map(({ agent }) => agent),
  );
  const [first] = result.lanes;
  assert.ok(first?.connections.total);
  first.connections.total = Math.round(first.connections.total * 0.9);
  writeFileSync(join(out, 'missed.json'), JSON.stringify(result));
  const missed = await plan('--check', 'storm.json', 'missed.json');
  assert.equal(missed.code, 1, missed.stderr);
  assert.match(missed.stdout, /\(\+11\.\d %\)/);
});

test('a check that could compare nothing is no success', async () => {
  const result = storm();
  for (const lane of result.lanes) lane.trouble = 'exited 7';
  writeFileSync(join(out, 'trouble.json'), JSON.stringify(result));
  const { code, stdout, stderr } = await plan('--check', 'trouble.json');
  assert.equal(code, 2, stderr);
  assert.match(stdout, /0 lanes compared/);
  assert.match(stderr, /nothing could be compared: the lane had trouble: exited 7/);
});

/** What was typed, and what the one line on stderr must name. */
const cases: [string[], RegExp][] = [
  [['--hosts', '0'], /--hosts "0" is not a number/],
  [['--hosts=-3'], /--hosts "-3"/],
  [['--hosts', '1000000000000'], /more than 10000000 sandboxes/],
  [['--interval', '90'], /90s or 90ms\?/],
  [['--interval', '5s..50ms'], /wrong way round/],
  [['--stagger', '10'], /--stagger "10" has no unit/],
  [['--guest-memory', 'host'], /--guest-memory host/],
  [['--max-pollers', '5'], /--max-pollers 5 without --solve/],
  [['--solve', 'intervall', '--max-pollers', '5'], /Did you mean interval\?/],
  [['--solve', 'interval'], /--solve needs a limit/],
  [
    ['--solve', 'interval', '--interval', '1s', '--max-pollers', '5'],
    /--solve interval and --interval contradict/,
  ],
  [
    ['--solve', 'interval', '--sandboxes-per-host', '9', '--max-pollers', '5'],
    /--max-pollers 5 and --sandboxes-per-host 9 contradict/,
  ],
  [['--solve', 'interval', '--max-cpu', '0.5'], /--max-cpu 0\.5 needs.*--from/],
  [['--from', 'no-such.json'], /no-such\.json/],
  [['surplus'], /surplus/],
];

for (const [args, expected] of cases) {
  test(`plan ${args.join(' ')}`, async () => {
    const { code, stdout, stderr } = await plan(...args);
    assert.equal(code, 2, stderr);
    assert.match(stderr, expected);
    assert.equal(stderr.trimEnd().split('\n').length, 1, `more than one line: ${stderr}`);
    assert.equal(stdout, '');
  });
}
