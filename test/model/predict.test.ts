import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type LaneInput, type LanePrediction, predictLane } from '../../src/model/predict.js';
import { attemptsOneByOne } from './counted.js';

/** `refused@0,none@50000` and the like. */
function schedule(text: string): LaneInput['faults'] {
  return text.split(',').map((step) => {
    const [name = '', at = '0'] = step.split('@');
    return { atMs: Number(at), name, parameters: {} };
  });
}

const usual: LaneInput = {
  intervalMs: 100,
  outageMs: 60_000,
  faults: schedule('refused'),
  retry: 'fixed',
  poller: 'issue',
  guarded: false,
  bootPoller: false,
  initTimeoutMs: 10_000,
  auth: 'stored',
};

type Row = [
  why: string,
  fault: string,
  change: Partial<LaneInput>,
  pollers: number | null,
  perSecond: number | null,
  total: number | null,
];

const envd = { poller: 'envd' } as const;
const guarded = { guarded: true } as const;
const orchestrator = { retry: 'orchestrator' } as const;

const rows: Row[] = [
  ['the figure of the issue', 'refused', {}, 600, 24_000, 720_000],
  ['envd fails fast: half of it', 'refused', envd, 600, 12_000, 360_000],
  ['a reset is a failed token request', 'reset', envd, 600, 12_000, 360_000],
  ['an empty token too', 'empty-token', envd, 600, 12_000, 360_000],
  [
    'V1 asks for no token: the second request is answered',
    'empty-token',
    { mmdsVersion: 'V1' },
    1,
    20,
    1200,
  ],
  [
    'but in envd there is no second one',
    'empty-token',
    { ...envd, mmdsVersion: 'V1' },
    600,
    12_000,
    360_000,
  ],
  ['a 503 with a body passes as a token', 'http-error', envd, 600, 24_000, 720_000],
  ['HTML cannot be sent as a token', 'hijack', envd, 600, 12_000, 360_000],
  ['a hung request lasts 10 s: 60 attempts a second', 'hang', envd, 600, 60, 2100],
  ['in the issue’s model too', 'hang', {}, 600, 60, 2100],
  ['and when packets vanish', 'blackhole', envd, 600, 60, 2100],
  ['and when others hold all connections', 'overload', envd, 600, 60, 2100],
  ['null ends every poller at its first tick', 'null', envd, 1, 20, 1200],
  ['unless an agent does not take it', 'null', { acceptsEmptyStore: false }, 600, 24_000, 720_000],
  ['none does', 'none', {}, 1, 20, 1200],
  ['faster than the tick they overlap', 'none', { intervalMs: 20, outageMs: 1000 }, 3, 96, 96],
  ['an /init that falls on the tick finds the poller', 'none', { intervalMs: 50 }, 2, 40, 2398],
  ['a guard keeps it to one', 'refused', guarded, 1, 40, 2398],
  ['the guarded one asks again and again', 'none', guarded, 1, 20, 1200],
  ['the guard lets none start while one runs', 'none', { ...guarded, intervalMs: 20 }, 1, 34, 2000],
  ['a guarded poller that hangs', 'hang', guarded, 1, 1, 6],
  [
    'the guard does not cover the boot poller',
    'refused',
    { ...guarded, bootPoller: true },
    2,
    80,
    4796,
  ],
  ['the boot poller is one more', 'refused', { bootPoller: true }, 601, 24_040, 722_398],
  ['after 60 s as many end as start', 'refused', { outageMs: 90_000 }, 600, 24_000, 1_439_400],
  ['the boot poller outlives them', 'hang', { outageMs: 90_000, bootPoller: true }, 601, 61, 3909],
  [
    'a plateau that the interval does not divide',
    'refused',
    { intervalMs: 7000, outageMs: 120_000 },
    9,
    360,
    32_004,
  ],
  [
    'the second poller of a guard follows the first',
    'refused',
    { ...guarded, outageMs: 90_000 },
    1,
    40,
    3596,
  ],
  ['rarer than a lifetime', 'refused', { intervalMs: 90_000, outageMs: 180_000 }, 1, 40, 4796],
  ['a single /init', 'refused', { intervalMs: 10_000, outageMs: 5000 }, 1, 40, 198],
  ['the first answer ends the orchestrator’s loop', 'refused', orchestrator, 1, 40, 2398],
  ['its one poller dies', 'refused', { ...orchestrator, outageMs: 90_000 }, 1, 40, 2398],
  ['its one poller hangs', 'hang', orchestrator, 1, 1, 6],
  ['its one poller is answered', 'null', orchestrator, 1, 2, 2],
  [
    'two failing faults: each at its own rate',
    'refused@0,http-error@20000',
    envd,
    600,
    24_000,
    680_000,
  ],
  ['the faster fault comes first', 'http-error@0,refused@20000', envd, 600, 12_000, 400_000],
  [
    'a faster fault that no poller lives to see',
    'refused@0,hijack@60000',
    { ...envd, intervalMs: 90_000, outageMs: 90_000 },
    1,
    20,
    1199,
  ],
  ['steps after the outage do not matter', 'refused@0,slow@60000', {}, 600, 24_000, 720_000],
  ['the pile when MMDS comes back', 'refused@0,none@50000', {}, 500, null, null],
  ['a mixture does not end pollers either', 'refused@0,hang@20000', {}, 600, null, null],
  ['one hanging fault after another', 'hang@0,blackhole@20000', {}, 600, null, null],
  [
    'MMDS fails again: who is left over is unknown',
    'refused@0,none@9000,refused@9100',
    {},
    null,
    null,
    null,
  ],
  ['answers first', 'none@0,refused@10000', {}, null, null, null],
  ['no closed form', 'slow', {}, null, null, null],
  ['no closed form', 'flap', guarded, null, null, null],
  ['no closed form in a part', 'refused@0,flap@1000', {}, null, null, null],
  ['/init itself asks MMDS', 'refused', { auth: 'mmds' }, null, null, null],
];

for (const [why, fault, change, pollersPeak, connectionsPerSecondPeak, connectionsTotal] of rows) {
  test(`${fault} ${JSON.stringify(change)}: ${why}`, () => {
    const expected: LanePrediction = { pollersPeak, connectionsPerSecondPeak, connectionsTotal };
    assert.deepEqual(predictLane({ ...usual, ...change, faults: schedule(fault) }), expected);
  });
}

const span = fc.integer({ min: 20, max: 100_000 });

test('a storm of failures is what counting its attempts one by one gives', () => {
  fc.assert(
    fc.property(fc.integer({ min: 200, max: 5000 }), span, (intervalMs, outageMs) => {
      const { connectionsTotal } = predictLane({ ...usual, intervalMs, outageMs });
      const starts = { everyMs: intervalMs, count: Math.ceil(outageMs / intervalMs) };
      const turns = { firstMs: 50, everyMs: 50, attempts: 2, lifetimeMs: 60_000 };
      assert.equal(connectionsTotal, attemptsOneByOne(outageMs, starts, turns));
    }),
    { numRuns: 30 },
  );
});

const failing = fc.constantFrom('refused', 'reset', 'empty-token', 'http-error', 'hijack');
const anyInput = fc.record({
  intervalMs: fc.integer({ min: 1, max: 100_000 }),
  outageMs: span,
  poller: fc.constantFrom('issue' as const, 'envd' as const),
  retry: fc.constantFrom('fixed' as const, 'orchestrator' as const),
  guarded: fc.boolean(),
  bootPoller: fc.boolean(),
});

test('cutting a fault in two at any moment changes nothing', () => {
  fc.assert(
    fc.property(anyInput, failing, fc.nat(100_000), (input, fault, atMs) => {
      const whole = predictLane({ ...usual, ...input, faults: schedule(fault) });
      const cut = predictLane({
        ...usual,
        ...input,
        faults: schedule(`${fault},${fault}@${atMs}`),
      });
      // A cut at 0 leaves a first step of no length.
      assert.deepEqual(cut, whole);
    }),
  );
});

test('a guard never makes more of anything, and never has more than one poller', () => {
  const faults = fc.oneof(failing, fc.constantFrom('hang', 'blackhole', 'none', 'null'));
  fc.assert(
    fc.property(anyInput, faults, (input, fault) => {
      const lane = { ...usual, ...input, bootPoller: false, faults: schedule(fault) };
      const free = predictLane({ ...lane, guarded: false });
      const held = predictLane({ ...lane, guarded: true });
      assert.equal(held.pollersPeak, 1);
      for (const figure of ['connectionsPerSecondPeak', 'connectionsTotal'] as const) {
        const [least, most] = [held[figure], free[figure]];
        assert.ok(least !== null && most !== null && least <= most, figure);
      }
    }),
  );
});
