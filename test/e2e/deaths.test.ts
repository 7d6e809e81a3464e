import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { whyNoNamespaces } from '../../src/lane/network/namespaces.js';
import { resultSchema } from '../../src/results/schema.js';
import { drawKills, livesOnLoopback } from '../soak/draw.js';
import { BIN, type Kill, tryKill } from '../soak/trial.js';
import { processesOf, VICTIMS } from '../soak/victims.js';
import { start, until } from './cli.js';

/**
 * A short `npm run soak`: every victim once in mid-storm, and some kills of a fixed seed. What each
 * must leave behind is in test/soak/judge.ts.
 */
const isolation = (await whyNoNamespaces()) === undefined ? 'netns' : 'loopback';

/** The most telling blow to each: one that leaves no chance to say good-bye, or no sign at all. */
const blows: Partial<Record<Kill['victim'], Kill['blow']>> = {
  'lane host': 'SIGSTOP',
  agent: 'SIGSTOP',
  MMDS: 'SIGSTOP',
};
const kills: Kill[] = [
  ...VICTIMS.filter((victim) => isolation === 'netns' || livesOnLoopback(victim)).map(
    (victim): Kill => ({
      victim,
      blow: blows[victim] ?? 'SIGKILL',
      atMs: victim === 'tool' ? 0 : 400,
      from: victim === 'tool' || isolation === 'loopback' ? 'start' : 'storm',
      isolation,
      which: 0.5,
    }),
  ),
  { victim: 'agent', blow: 'SIGKILL', atMs: 500, from: 'storm', isolation, which: 0 },
  { victim: 'agent', blow: 'SIGTERM', atMs: 500, from: 'storm', isolation, which: 0.9 },
  // So late that there are no three seconds to wait.
  { victim: 'MMDS', blow: 'SIGSTOP', atMs: 1_300, from: 'storm', isolation, which: 0 },
  // Half a second, and it goes on: a note, no trouble.
  { victim: 'agent', blow: 'pause', atMs: 300, from: 'storm', isolation, which: 0 },
  { victim: 'lane host', blow: 'pause', atMs: 300, from: 'storm', isolation, which: 0 },
  // As they are born, before anybody could ask them anything.
  { victim: 'agent', blow: 'SIGKILL', atMs: 0, from: 'start', isolation, which: 0 },
  { victim: 'MMDS', blow: 'SIGKILL', atMs: 0, from: 'start', isolation, which: 0 },
  ...drawKills(4, 20_251, [isolation]),
];

/** As many as were tried, and those that hit somebody. */
const met: boolean[] = [];

describe('whatever dies: one line names it, the rest holds, nothing is left', {
  concurrency: 2,
}, () => {
  for (const kill of kills) {
    const { victim, blow, atMs, from, which } = kill;
    const moment = `${atMs / 1e3} s after the ${from}, number ${which.toFixed(2)}`;
    test(`${blow} to ${victim} ${moment}`, { timeout: 120_000 }, async () => {
      const { wrong, wasMet, code, stderr } = await tryKill(kill);
      met.push(wasMet);
      assert.deepEqual({ wrong, code, stderr }, { wrong: [], code, stderr });
    });
  }
});

test('half of the blows at least hit somebody: a test that hits nothing shows nothing', () => {
  assert.ok(met.filter((one) => one).length >= met.length / 2);
});

test('a lane host on loopback that is killed takes its agent and its MMDS along', {
  timeout: 120_000,
}, async () => {
  const kill: Kill = {
    ...{ victim: 'lane host', blow: 'SIGKILL', atMs: 1_500, from: 'start' },
    ...{ isolation: 'loopback', which: 0 },
  };
  const { wrong, wasMet } = await tryKill(kill);
  assert.deepEqual(wrong, []);
  assert.ok(wasMet);
});

test('the first Ctrl-C ends a run even when a lane is stuck; the other lane keeps its figures', {
  timeout: 120_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'envd-bench-deaths-'));
  try {
    const running = start(
      [...[process.execPath, BIN, 'run', '--json', '--outage', '40s'], ...['--out', folder]],
      { env: { PATH: process.env.PATH, HOME: folder } },
    );
    await until('a first line', () => running.stderr().includes('s of'));
    const hosts = processesOf(folder).filter(({ victim }) => victim === 'lane host');
    const [stuck] = hosts;
    process.kill(stuck?.pid ?? 0, 'SIGSTOP');
    running.child.kill('SIGINT');
    const { code, stdout, stderr } = await running.finished;
    assert.equal(code, 130, stderr);
    const { lanes, complete } = resultSchema.parse(JSON.parse(stdout));
    assert.equal(complete, false);
    assert.deepEqual(
      lanes.map(({ trouble, init }) => [trouble === null, (init.sent ?? 0) > 0]).sort(),
      [
        [false, false],
        [true, true],
      ],
    );
    const [words] = lanes.flatMap(({ trouble }) => trouble ?? []);
    assert.match(
      words ?? '',
      /^the host of lane \w+ was stopped \(SIGSTOP\) \d+\.\d s into|^had not/,
    );
    await until('nothing is left', () => processesOf(folder).length === 0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
