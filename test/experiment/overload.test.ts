import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Followed, findOverload } from '../../src/experiment/overload.js';
import type { Load, Overload } from '../../src/results/schema.js';
import { storm } from '../fixtures/results.js';

const LOOP = { utilizationPeak: 0.71, delayMaxMs: 12 };
const QUIET: Load = {
  sampleGapMaxMs: 110,
  agentCpusPeak: 0.9,
  processorsBusyPeak: 0.9,
  driverLoop: LOOP,
  agentLoop: LOOP,
  mmdsLoop: LOOP,
};
const BUSY = { utilizationPeak: 0.96, delayMaxMs: 12 };
const STUCK = { utilizationPeak: 0.3, delayMaxMs: 400 };

interface Case {
  load?: Partial<Load>;
  slip?: [p99: number, max: number];
  intervalMs?: number;
  kind?: 'external';
  /** Attempts made, of 720,000. */
  total?: number;
  isWhole?: boolean;
}

function followed({
  load,
  slip = [3.1, 9.8],
  intervalMs = 100,
  kind,
  total,
  isWhole,
}: Case): Followed {
  const [lane] = storm().lanes;
  assert.ok(lane);
  const slipMs = { p50: 1, p99: slip[0], max: slip[1] };
  return {
    lane: {
      ...{ kind: kind ?? lane.kind, init: { ...lane.init, slipMs } },
      pollers: lane.pollers,
      predicted: lane.predicted,
      connections: { ...lane.connections, total: total ?? lane.connections.total },
    },
    isWhole: isWhole ?? true,
    load: { ...QUIET, ...load },
    scenario: { intervalMs },
    cpus: 2,
  };
}

const table: [comment: string, one: Case, found: Overload[]][] = [
  ['an idle machine', {}, []],
  ['the slip of the reference result', { slip: [3.12, 9.8] }, []],
  ['one request in a hundred is late', { slip: [10.5, 30] }, ['driver']],
  ['once two /init at a time', { slip: [2, 130] }, ['driver']],
  ['once late, but within the interval', { slip: [2, 130], intervalMs: 200 }, []],
  ['shorter than a tick tells no poller apart', { slip: [2, 40], intervalMs: 10 }, []],
  ['a driver without a turn', { load: { driverLoop: STUCK } }, ['driver']],
  ['a saturated driver', { load: { driverLoop: BUSY } }, ['driver']],
  ['samples a quarter of a second apart', { load: { sampleGapMaxMs: 251 } }, ['samples']],
  ['a saturated agent', { load: { agentLoop: BUSY }, total: 700_000 }, ['agent']],
  ['an agent that was busy, and yet kept up', { load: { agentLoop: BUSY }, total: 719_000 }, []],
  ['a saturated agent, interrupted', { load: { agentLoop: BUSY }, isWhole: false }, ['agent']],
  ['a stuck agent', { load: { agentLoop: STUCK } }, ['agent']],
  ['nearly as many attempts as were asked for', { total: 650_000 }, []],
  ['far fewer', { total: 640_000 }, ['agent']],
  ['far fewer, of a lane that did not go on to the end', { total: 9, isWhole: false }, []],
  ['far fewer, of a program whose guard nobody knows', { total: 9, kind: 'external' }, []],
  ['a saturated MMDS', { load: { mmdsLoop: BUSY } }, ['mmds']],
  [
    'a program that takes all processors',
    { kind: 'external', load: { agentCpusPeak: 1.95 } },
    ['processors'],
  ],
  [
    'a program that others keep from the processors',
    { kind: 'external', load: { processorsBusyPeak: 0.96 } },
    ['processors'],
  ],
  [
    'an agent that counts itself and kept up, whoever was there',
    { load: { processorsBusyPeak: 1 } },
    [],
  ],
  ['a program that leaves some', { kind: 'external', load: { agentCpusPeak: 1.8 } }, []],
  [
    'everything at once',
    { slip: [90, 900], load: { sampleGapMaxMs: 900, agentLoop: STUCK, mmdsLoop: STUCK } },
    ['driver', 'samples', 'agent', 'mmds'],
  ],
];
for (const [comment, one, expected] of table) {
  test(`overload: ${comment}`, () => {
    const found = findOverload(followed(one));
    assert.deepEqual(
      found.map(({ overload }) => overload),
      expected,
    );
    for (const { text } of found) assert.match(text, /\d/, 'a finding has its figures');
  });
}

test('what nobody watched is not accused: a lane without any figures', () => {
  const lane = followed({}).lane;
  const slipMs = { p50: null, p99: null, max: null };
  const nothing = { ...lane, init: { ...lane.init, slipMs } };
  const load = null;
  assert.deepEqual(findOverload({ ...followed({}), lane: nothing, load }), []);
});
