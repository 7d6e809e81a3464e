import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulate } from '../../src/model/simulation.js';
import { calibrate } from '../../src/planning/calibrate.js';
import { checkResult, holds } from '../../src/planning/check.js';
import { measuredSandbox } from '../../src/planning/measured.js';
import type { LaneResult, Result } from '../../src/results/schema.js';
import { assertUsageError } from '../base/usage-error.js';
import { storm } from '../fixtures/results.js';
import { schedule } from '../model/sandbox.js';

const CPU_PER_ATTEMPT = 4e-5;
const CPU_IDLE = 0.02;
const RSS_PER_POLLER = 12_000;
const RSS_IDLE = 60e6;

const NOTHING_COUNTED: NonNullable<LaneResult['agentCount']> = {
  attempts: 0,
  localFailures: 0,
  descriptorFailures: 0,
  refused: 0,
  reset: 0,
  timedOut: 0,
  answered: 0,
  failedOtherwise: 0,
  cancelled: 0,
  ticks: 0,
  ticksDropped: 0,
  attemptsPerPollerMax: 0,
  pollersFinished: 0,
  pollersExpired: 0,
};

const readFaults = (text: string) => schedule(text);

/** A result whose lanes are what the model says, on a machine with these costs. */
function modelled(attemptsPerSecond: number | null = null): Result {
  const result = storm();
  const lanes = result.lanes.map((lane): LaneResult => {
    const sandbox = measuredSandbox(result, lane, readFaults);
    assert.ok(typeof sandbox !== 'string', `${sandbox}`);
    const machine = { attemptsPerSecond, attemptsPerSecondPastHalf: null };
    const { pollers, connections, ports, series } = simulate({ ...sandbox, machine });
    const demanded = simulate(sandbox).connections.total;
    const { connectionsPerSecond, portsInUse, timeWait } = series;
    const unknown = series.tMs.map(() => null);
    return {
      ...lane,
      pollers: { ...lane.pollers, peak: pollers.peak },
      connections: {
        ...lane.connections,
        total: connections.total,
        perSecondPeak: connections.perSecondPeak,
        localFailures: 0,
      },
      ports: { ...lane.ports, peak: ports.peak, exhaustedAtMs: ports.exhaustedAtMs },
      agentCount: { ...NOTHING_COUNTED, ticksDropped: (demanded - connections.total) >> 1 },
      process: {
        ...lane.process,
        cpuSeconds:
          (CPU_IDLE * result.scenario.outageMs) / 1e3 + CPU_PER_ATTEMPT * connections.total,
        rssPeakBytes: RSS_IDLE + RSS_PER_POLLER * pollers.peak,
      },
      series: {
        tMs: series.tMs,
        pollers: series.pollers,
        connectionsPerSecond,
        portsInUse,
        timeWait,
        initLatencyMs: unknown,
        healthLatencyMs: unknown,
      },
    };
  });
  return { ...result, lanes };
}

/** The same, changed in its first lane. */
function changed(result: Result, change: (lane: LaneResult) => Partial<LaneResult>): Result {
  const [first, ...others] = result.lanes;
  assert.ok(first);
  return { ...result, lanes: [{ ...first, ...change(first) }, ...others] };
}

test('costs that went into a run come out of it', () => {
  const found = calibrate([modelled()], readFaults);
  assert.ok(Math.abs((found.cpuSecondsPerAttempt ?? 0) / CPU_PER_ATTEMPT - 1) < 1e-6);
  assert.ok(Math.abs((found.cpuCoresIdle ?? 0) / CPU_IDLE - 1) < 1e-6);
  assert.ok(Math.abs((found.rssBytesPerPoller ?? 0) / RSS_PER_POLLER - 1) < 1e-6);
  assert.equal(found.leastShareOfDemand, 1);
  assert.equal(found.attemptsPerSecond, null, 'nothing was held up: the limit was not seen');
});

test('the limit of a machine that was at its limit is found, and the model then follows it', () => {
  const result = modelled(20_500);
  const found = calibrate([result], readFaults);
  assert.ok(found.attemptsPerSecond !== null);
  assert.ok(Math.abs(found.attemptsPerSecond - 20_500) <= 1);
  assert.ok(holds(checkResult(result, readFaults, found)));
});

test('a lane that made fewer attempts is not taken for a slow machine without a sign of it', () => {
  // As when the agent polls by another rule: half of the attempts, and no tick dropped.
  const half = (lane: LaneResult): Partial<LaneResult> => ({
    connections: { ...lane.connections, total: (lane.connections.total ?? 0) / 2 },
  });
  const otherRule = calibrate([changed(modelled(), half)], readFaults);
  assert.ok(otherRule.leastShareOfDemand < 0.6);
  assert.equal(otherRule.attemptsPerSecond, null);
  // As when others have the processor: ticks dropped, but at a rate that is no core's limit.
  const disturbed = changed(modelled(), (lane) => ({
    connections: { ...lane.connections, total: 600_000, perSecondPeak: 3000 },
    agentCount: { ...NOTHING_COUNTED, ticksDropped: 60_000 },
  }));
  assert.equal(calibrate([disturbed], readFaults).attemptsPerSecond, null);
});

test('one lane does not tell idling from attempts', () => {
  const result = modelled();
  const found = calibrate([{ ...result, lanes: result.lanes.slice(0, 1) }], readFaults);
  assert.equal(found.cpuSecondsPerAttempt, null);
  assert.equal(found.rssBytesPerPoller, null);
});

test('results of two machines, or of none, are refused', () => {
  const other = modelled();
  const machine = { ...other.machine, cpus: other.machine.cpus + 1 };
  const { message } = assertUsageError(() =>
    calibrate([modelled(), { ...other, machine }], readFaults),
  );
  assert.match(message, /different machines/);
  const partial = { ...other, complete: false };
  assert.match(
    assertUsageError(() => calibrate([partial], readFaults)).message,
    /no complete lane/,
  );
});

test('the model agrees with itself, and a run that differs fails the check', () => {
  const lanes = checkResult(modelled(), readFaults, null);
  assert.ok(holds(lanes));
  assert.deepEqual(lanes[0]?.series, { pollers: 0, connectionsPerSecond: 0, portsInUse: 0 });
  const fewer = changed(modelled(), (lane) => ({
    connections: { ...lane.connections, total: Math.round((lane.connections.total ?? 0) * 0.9) },
  }));
  const [first] = checkResult(fewer, readFaults, null);
  const total = first?.comparisons.find(({ figure }) => figure === 'connections total');
  assert.equal(total?.verdict, 'fail');
  assert.ok(Math.abs((total.error ?? 0) - 1 / 9) < 1e-3);
});

test('what was not measured is no data, and an external agent is not compared', () => {
  const unseen = changed(modelled(), (lane) => ({ ports: { ...lane.ports, peak: null } }));
  const [lane] = checkResult(unseen, readFaults, null);
  assert.equal(lane?.comparisons.find(({ figure }) => figure === 'ports peak')?.verdict, 'no data');
  const external = changed(modelled(), () => ({ guard: null }));
  assert.match(checkResult(external, readFaults, null)[0]?.skipped ?? '', /external agent/);
});
