import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { whyNoNamespaces } from '../../src/lane/network/namespaces.js';
import { type LaneResult, type Result, resultSchema } from '../../src/results/schema.js';
import { ordinaryUser, run } from './cli.js';
import { install } from './install.js';

const { bin, out } = install();
const noNamespaces = await whyNoNamespaces();
const skip = noNamespaces === undefined ? false : `no network namespaces: ${noNamespaces}`;

/** Every attempt of an agent is in the kernel's count, or died locally. */
function assertAttemptsAgree({ connections, agentCount }: LaneResult): void {
  assert.ok(agentCount && connections.total !== null && connections.localFailures !== null);
  assert.equal(connections.total + connections.localFailures, agentCount.attempts);
  const { refused, reset, timedOut, answered, failedOtherwise, cancelled, localFailures } =
    agentCount;
  assert.equal(
    refused + reset + timedOut + answered + failedOtherwise + cancelled + localFailures,
    agentCount.attempts,
  );
}

function assertAllAccountedFor({ init, health }: LaneResult): void {
  for (const stream of [init, health]) {
    const { sent, answered, timedOut, failed } = stream;
    assert.equal(sent, Number(answered) + Number(timedOut) + Number(failed));
    assert.ok(sent !== null);
  }
}

function twoLanes(result: Result): [LaneResult, LaneResult] {
  const [first, second] = result.lanes;
  assert.ok(first && second && result.lanes.length === 2);
  return [first, second];
}

const users: [string, readonly string[]][] = [['the user of the tests', []]];
const other = ordinaryUser();
if (other) users.push(['an ordinary user', other]);

for (const [name, prefix] of users) {
  test(`ten seconds of the storm, as ${name}`, { skip, timeout: 120_000 }, async () => {
    const command = [bin, 'run', '--interval', '100ms', '--outage', '10s', '--json', '--out', out];
    const { code, stdout, stderr } = await run(command, { prefix, cwd: out });
    assert.equal(code, 0, stderr);
    const result = resultSchema.parse(JSON.parse(stdout));
    assert.equal(result.complete, true);
    assert.equal(result.scenario.isolation, 'netns');
    const [unguarded, guarded] = twoLanes(result);
    assert.ok(Math.abs((unguarded.pollers.peak ?? 0) - 100) <= 1);
    assert.equal(guarded.pollers.peak, 1);
    for (const lane of result.lanes) {
      assertAttemptsAgree(lane);
      assertAllAccountedFor(lane);
      assert.equal(lane.connections.source, 'kernel');
      assert.equal(lane.init.sent, 100);
      assert.equal(lane.series.timeWait[0], 0);
      // Nobody listens: every attempt that left ended refused, and the kernel says so too.
      assert.equal(lane.kernel.attemptFails, lane.connections.total);
      assert.equal(lane.trouble, null);
    }
    // The closed form, a·t²/(2·I·τ) and one poller at 40/s, within 5 %: pollers start late on a busy machine.
    // Two attempts a tick; what a busy machine dropped was asked for too.
    const demanded = ({ connections, agentCount }: LaneResult): number =>
      (connections.total ?? 0) + 2 * (agentCount?.ticksDropped ?? 0);
    assert.ok(Math.abs(demanded(unguarded) - 20_000) <= 1_000, `${demanded(unguarded)}`);
    assert.ok(Math.abs(demanded(guarded) - 400) <= 20, `${demanded(guarded)}`);
    const saved = JSON.parse(readFileSync(join(out, `${result.id}.json`), 'utf8'));
    assert.deepEqual(saved, JSON.parse(stdout));
  });
}

test('MMDS answers: pollers end, and the guard lets the next /init poll again', {
  skip,
}, async () => {
  const command = [bin, 'run', '--fault', 'none', '--outage', '3s', '--json', '--out', out];
  const { code, stdout, stderr } = await run(command, { cwd: out });
  assert.equal(code, 0, stderr);
  const result = resultSchema.parse(JSON.parse(stdout));
  for (const lane of result.lanes) {
    assertAttemptsAgree(lane);
    assert.ok(lane.agentCount && lane.pollers.spawned);
    assert.ok(lane.pollers.spawned > 1);
    assert.ok(lane.agentCount.pollersFinished >= lane.pollers.spawned - 2);
  }
  assert.equal(result.claims.find(({ id }) => id === 'repoll')?.verdict, 'reproduced');
});

test('a schedule: MMDS comes back, and the pollers go to 0', { skip }, async () => {
  const fault = 'refused@0s,none@2s';
  const command = [bin, 'run', '--fault', fault, '--outage', '3s', '--json', '--out', out];
  const { code, stdout, stderr } = await run(command, { cwd: out });
  assert.equal(code, 0, stderr);
  const result = resultSchema.parse(JSON.parse(stdout));
  const [unguarded] = twoLanes(result);
  assert.ok((unguarded.pollers.peak ?? 0) >= 20);
  assert.ok((unguarded.series.pollers.at(-1) ?? 99) <= 2);
});

test('loopback isolation gives the same fields', { timeout: 120_000 }, async () => {
  const command = [bin, 'run', '--isolation', 'loopback', '--outage', '5s', '--json', '--out', out];
  const { code, stdout, stderr } = await run(command, { cwd: out });
  assert.equal(code, 0, stderr);
  const result = resultSchema.parse(JSON.parse(stdout));
  assert.equal(result.scenario.isolation, 'loopback');
  const [unguarded, guarded] = twoLanes(result);
  assert.equal(unguarded.pollers.peak, 50);
  assert.equal(guarded.pollers.peak, 1);
  for (const lane of result.lanes) {
    assertAttemptsAgree(lane);
    assertAllAccountedFor(lane);
    assert.equal(lane.connections.source, 'agent');
    assert.equal(lane.series.timeWait[0], 0);
    assert.ok(lane.connections.perSecondPeak);
  }
  assert.ok(result.notes.some(({ text }) => text.includes('loopback')));
});

test('a sweep, repeats and lanes in turn: one file a run, and an array', {
  timeout: 120_000,
}, async () => {
  const before = readdirSync(out).length;
  const { code, stdout, stderr } = await run(
    [
      bin,
      'run',
      '--interval',
      '100ms,500ms',
      '--repeat',
      '2',
      '--sequential',
      '--outage',
      '1s',
    ].concat(['--json', '--out', out]),
    { cwd: out },
  );
  assert.equal(code, 0, stderr);
  const results = (JSON.parse(stdout) as unknown[]).map((one) => resultSchema.parse(one));
  assert.deepEqual(
    results.map(({ scenario }) => [scenario.intervalMs, scenario.repeat.index]),
    [
      [100, 1],
      [100, 2],
      [500, 1],
      [500, 2],
    ],
  );
  for (const { lanes, scenario } of results) {
    for (const lane of lanes) assert.equal(lane.init.sent, Math.ceil(1_000 / scenario.intervalMs));
  }
  assert.equal(readdirSync(out).length, before + 4);
});

test('proxy settings of the environment change nothing', { timeout: 120_000 }, async () => {
  const env = {
    ...process.env,
    HTTP_PROXY: 'http://127.0.0.1:9',
    http_proxy: 'http://127.0.0.1:9',
    NO_PROXY: '',
    NODE_USE_ENV_PROXY: '1',
  };
  const command = [bin, 'run', '--outage', '2s', '--json', '--out', out];
  const { code, stdout, stderr } = await run(command, { env, cwd: out });
  assert.equal(code, 0, stderr);
  for (const lane of resultSchema.parse(JSON.parse(stdout)).lanes) {
    assert.equal(lane.init.answered, 20);
    assertAttemptsAgree(lane);
  }
});

test('headroom: what is left of /health before the storm and in its last seconds', async () => {
  const command = [bin, 'run', '--outage', '4s', '--headroom', '--json', '--out', out];
  const { code, stdout, stderr } = await run(command, { cwd: out });
  assert.equal(code, 0, stderr);
  for (const { headroom, health } of resultSchema.parse(JSON.parse(stdout)).lanes) {
    assert.ok((headroom?.beforePerSecond ?? 0) > 0);
    assert.ok((headroom?.duringPerSecond ?? 0) > 0);
    // The load is not among the probes.
    assert.equal(health.sent, 40);
  }
});
