import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFaultSchedule } from '../../src/mmds/schedule.js';
import { checkResult, hasCompared, holds } from '../../src/planning/check.js';
import { planAgent } from '../../src/planning/forward.js';
import type { FaultReader } from '../../src/planning/measured.js';
import { renderPlanCheck } from '../../src/report/plan/check.js';
import type { PlanCheckLane } from '../../src/results/plan.js';
import { type Result, resultSchema } from '../../src/results/schema.js';
import { storm } from '../fixtures/results.js';
import { planOf } from './plans.js';

const readFaults: FaultReader = (text) =>
  parseFaultSchedule(text, 'fault').map(({ atMs, fault }) => ({ atMs, ...fault }));

function asked(change: Partial<Result['scenario']>): Result {
  const result = storm();
  return resultSchema.parse({ ...result, scenario: { ...result.scenario, ...change } });
}

function document(lanes: PlanCheckLane[]) {
  return {
    schema: 'envd-bench/plan-check/v1' as const,
    tool: { version: '1' },
    calibration: null,
    lanes,
  };
}

const VIEW = { columns: 100, color: false, unicode: true };

const absurd: [comment: string, change: Partial<Result['scenario']>][] = [
  ['an interval of less than a ns', { intervalMs: 1e-9 }],
  ['an outage of ages', { outageMs: 1e15 }],
  ['an outage of more than any number of ns', { outageMs: 1e308 }],
  ['many a /init', { intervalMs: 0.06, outageMs: 3600e3 }],
  ['a loop without a pause', { retry: 'orchestrator', fault: 'hang', initTimeoutMs: 1e-9 }],
];
for (const [comment, change] of absurd) {
  test(`too much to simulate is not simulated: ${comment}`, { timeout: 60_000 }, () => {
    const lanes = checkResult(asked({ retryPauseMs: 0, ...change }), readFaults, null);
    for (const { skipped } of lanes) assert.match(skipped ?? '', /too much to simulate/);
    assert.ok(!hasCompared(lanes));
  });
}

test('figures next to nothing and next to infinity make no share', () => {
  for (const perSecondPeak of [1e-308, 1e308, Number.MAX_VALUE, 5e-324]) {
    const result = storm();
    for (const lane of result.lanes) {
      lane.connections.perSecondPeak = perSecondPeak;
      lane.series.connectionsPerSecond = lane.series.tMs.map(() => perSecondPeak);
    }
    const lanes = checkResult(result, readFaults, null);
    const text = renderPlanCheck(document(lanes), VIEW) + JSON.stringify(lanes);
    assert.doesNotMatch(text, /Infinity|NaN/);
    assert.ok(!holds(lanes));
  }
});

test('who closes first under hijack is a race: between what the ports are, and no verdict', () => {
  const result = asked({ fault: 'hijack', outageMs: 6000, poller: 'envd' });
  for (const ports of [0, 195, 3600, 20_000]) {
    for (const lane of result.lanes) lane.ports.peak = ports;
    const [unguarded] = checkResult(result, readFaults, null);
    const peak = unguarded?.comparisons.find(({ figure }) => figure === 'ports peak');
    assert.deepEqual(peak && [peak.predicted, peak.range, peak.verdict], [
      null,
      [0, 3600],
      'no verdict',
    ]);
    assert.equal(unguarded?.series.portsInUse, null);
  }
  const text = renderPlanCheck(document(checkResult(result, readFaults, null)), VIEW);
  assert.match(text, /20,000 \/ 0 to 3,600 \(a race\)/);
});

test('where somebody is told to close first, there is no race', () => {
  for (const [mmdsClose, predicted] of [
    ['agent', 3600],
    ['mmds', 0],
  ] as const) {
    const result = asked({ fault: 'hijack', outageMs: 6000, poller: 'envd', mmdsClose });
    const [unguarded] = checkResult(result, readFaults, null);
    const peak = unguarded?.comparisons.find(({ figure }) => figure === 'ports peak');
    assert.deepEqual(peak && [peak.predicted, peak.range], [predicted, null]);
  }
});

test('a plan of a race counts with the most ports, and says the least', () => {
  const plan = planOf({ fault: 'hijack', poller: 'envd', outageMs: 6000, sandboxesPerHost: 2 });
  const faults = [{ atMs: 0, name: 'hijack', parameters: {} }];
  const [agent] = plan.agents;
  assert.ok(agent);
  const { perSandbox, perHost } = planAgent({ ...plan, faults }, agent);
  assert.deepEqual([perSandbox.ports.peakLeast, perSandbox.ports.peak], [0, 3600]);
  assert.deepEqual([perHost.ports.peakLeast, perHost.ports.peak], [0, 7200]);
  const other = planAgent(plan, agent);
  assert.equal(other.perSandbox.ports.peakLeast, null);
});

test('the text says what was compared, and with what', () => {
  const lanes = checkResult(storm(), readFaults, null);
  for (const columns of [40, 100, 400]) {
    const text = renderPlanCheck(document(lanes), { ...VIEW, columns });
    assert.match(text.replace(/\s+/g, ' '), /^the model against measured runs: 2 lanes compared, /);
    assert.match(text.replace(/\s+/g, ' '), /connections\/s peak/);
  }
});
