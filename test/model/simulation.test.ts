import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { issueStorm, timeToFillPortsMs } from '../../src/model/closed-form.js';
import { attemptsInSecondTo, initCount } from '../../src/model/discrete.js';
import { attemptsPerTick } from '../../src/model/facts.js';
import { predictLane } from '../../src/model/predict.js';
import { simulate } from '../../src/model/simulation.js';
import { schedule, usualSandbox } from './sandbox.js';

const PORTS = 28_232;

test('the storm of the issue, event by event', () => {
  const { pollers, connections, ports, init } = simulate(usualSandbox);
  assert.equal(pollers.peak, 600);
  assert.equal(connections.total, 720_000);
  assert.equal(connections.perSecondPeak, 23_800);
  assert.equal(ports.peak, 0);
  assert.deepEqual([init.sent, init.answered], [600, 600]);
});

test('what has no closed form', () => {
  const rows: {
    why: string;
    change: Partial<typeof usualSandbox>;
    peak: number;
    spawned: number;
    total: number;
  }[] = [
    {
      why: 'one poller at a time with a slow MMDS: two answers of 2 s after a tick, 4.1 s a turn',
      change: { faults: schedule('slow'), guarded: true, outageMs: 8300 },
      peak: 1,
      spawned: 3,
      total: 5,
    },
    {
      why: 'a slow MMDS that keeps up: a poller lives 1.05 s, and the last two get no second answer',
      change: { faults: schedule('slow', { delayMs: 500 }), outageMs: 10_000, intervalMs: 200 },
      peak: 6,
      spawned: 50,
      total: 98,
    },
    {
      why: 'flap: down for 2 s, and then all end at their first tick',
      change: { faults: schedule('flap', { downMs: 2000, upMs: 1000 }), outageMs: 3000 },
      peak: 21,
      spawned: 30,
      // 20 pollers with 39, 37, … 1 ticks before 2 s, and then one tick for each of all 30.
      total: 2 * 400 + 2 * 30,
    },
    {
      why: 'a guard that renews keeps one poller beyond 60 s',
      change: { guarded: true, renews: true, outageMs: 90_000 },
      peak: 1,
      spawned: 1,
      total: 2 * 1799,
    },
    {
      why: 'hang, then answered: what is under way gets its answer at once',
      change: { faults: schedule('hang@0,none@5000'), outageMs: 6000 },
      peak: 50,
      spawned: 60,
      total: 120,
    },
    {
      why: '/init asks MMDS and is refused: two tries an /init, and no poller',
      change: { auth: 'mmds', outageMs: 1000 },
      peak: 0,
      spawned: 0,
      total: 20,
    },
    {
      why: '/init asks MMDS once, and then the token is stored',
      change: { auth: 'mmds', faults: schedule('none'), outageMs: 1000 },
      peak: 1,
      spawned: 10,
      total: 22,
    },
    {
      why: 'the orchestrator gives up after 50 ms, pauses for 5 ms and begins again',
      change: {
        auth: 'mmds',
        retry: 'orchestrator',
        initTimeoutMs: 50,
        faults: schedule('hang'),
        outageMs: 1000,
      },
      peak: 0,
      spawned: 0,
      total: 19,
    },
  ];
  for (const { why, change, peak, spawned, total } of rows) {
    const { pollers, connections } = simulate({ ...usualSandbox, ...change });
    assert.deepEqual(
      { peak: pollers.peak, spawned: pollers.spawned, total: connections.total },
      { peak, spawned, total },
      why,
    );
  }
});

test('blackhole: an attempt gets through with the first SYN after the fault', () => {
  const { connections, pollers } = simulate({
    ...usualSandbox,
    faults: schedule('blackhole@0,none@2500'),
    retry: 'orchestrator',
    outageMs: 5000,
  });
  // Begun at 50 ms, repeated at 3,050 ms, answered, and then the metadata.
  assert.equal(connections.total, 2);
  assert.equal(pollers.spawned, 1);
});

const failing = fc.constantFrom('refused', 'reset', 'empty-token', 'http-error', 'hijack');
const uniform = fc.oneof(failing, fc.constantFrom('hang', 'blackhole', 'overload', 'none', 'null'));
const anyInput = fc.record({
  // In quarters of a millisecond, which binary fractions have exactly.
  intervalMs: fc.integer({ min: 80, max: 40_000 }).map((quarters) => quarters / 4),
  outageMs: fc.integer({ min: 20, max: 90_000 }),
  poller: fc.constantFrom('issue' as const, 'envd' as const),
  retry: fc.constantFrom('fixed' as const, 'orchestrator' as const),
  mmdsVersion: fc.constantFrom('V1' as const, 'V2' as const),
  guarded: fc.boolean(),
  acceptsEmptyStore: fc.boolean(),
  bootPoller: fc.boolean(),
});

test('where there is a closed form the simulation is equal to it', () => {
  fc.assert(
    fc.property(anyInput, uniform, (change, fault) => {
      const input = { ...usualSandbox, ...change, faults: schedule(fault) };
      const { pollersPeak, connectionsTotal } = predictLane(input);
      const { pollers, connections } = simulate({ ...input, ...boundless });
      assert.equal(pollers.peak, pollersPeak);
      assert.equal(connections.total, connectionsTotal);
    }),
    { numRuns: 150 },
  );
});

const boundless = { guest: { ports: 1e9, timeWait: 1e9 } };

test('also through a schedule of faults that fail at once', () => {
  fc.assert(
    fc.property(anyInput, failing, failing, fc.nat(90_000), (change, one, other, atMs) => {
      const faults = schedule(`${one}@0,${other}@${atMs}`);
      const input = {
        ...usualSandbox,
        ...change,
        ...boundless,
        mmdsVersion: 'V2' as const,
        faults,
      };
      const { pollersPeak, connectionsTotal } = predictLane(input);
      const { pollers, connections } = simulate(input);
      assert.equal(pollers.peak, pollersPeak);
      assert.equal(connections.total, connectionsTotal);
    }),
    { numRuns: 60 },
  );
});

test('in every second of a storm the attempts are those of the closed form', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 20, max: 3000 }),
      fc.integer({ min: 10, max: 900 }).map((tenths) => tenths * 100),
      failing,
      fc.constantFrom('issue' as const, 'envd' as const),
      (intervalMs, outageMs, fault, poller) => {
        const faults = schedule(fault);
        const input = { ...usualSandbox, ...boundless, intervalMs, outageMs, poller, faults };
        const { series } = simulate(input);
        const starts = { everyMs: intervalMs, count: initCount(intervalMs, outageMs) };
        const attempts = attemptsPerTick(fault, poller) ?? 0;
        const turns = { firstMs: 50, everyMs: 50, attempts, lifetimeMs: 60_000 };
        series.tMs.forEach((tMs, i) => {
          assert.equal(
            series.connectionsPerSecond[i],
            attemptsInSecondTo(tMs, starts, turns),
            `${tMs} ms`,
          );
        });
      },
    ),
    { numRuns: 25 },
  );
});

test('the ports run out when the closed form says, within one tick of every poller', () => {
  fc.assert(
    fc.property(fc.integer({ min: 20, max: 2000 }), (intervalMs) => {
      const input = { ...usualSandbox, intervalMs, faults: schedule('http-error') };
      const { ports } = simulate({ ...input, guest: { ports: PORTS, timeWait: 1e9 } });
      const expected = timeToFillPortsMs(PORTS, issueStorm(intervalMs));
      if (expected === null || expected > 60_000) return;
      assert.ok(ports.exhaustedAtMs !== null, `at ${intervalMs} ms they run out`);
      // A tick of the discrete count, and an interval until the pollers are as many.
      assert.ok(Math.abs(ports.exhaustedAtMs - expected) <= 50 + intervalMs, `${expected}`);
    }),
    { numRuns: 30 },
  );
});

test('a small guest does not run out of ports: its TIME_WAIT is cut off', () => {
  const faults = schedule('http-error');
  const { ports, timeWait, connections } = simulate({ ...usualSandbox, faults });
  assert.equal(ports.exhaustedAtMs, null);
  assert.equal(ports.peak, 4096);
  assert.equal(timeWait.overflow, connections.total - 4096);
});

test('ports, attempts and TIME_WAIT add up', () => {
  fc.assert(
    fc.property(
      anyInput,
      fc.oneof(uniform, fc.constantFrom('slow', 'flap')),
      fc.integer({ min: 50, max: 5000 }),
      fc.integer({ min: 0, max: 5000 }),
      (change, fault, ports, timeWait) => {
        const input = { ...usualSandbox, ...change, faults: schedule(fault) };
        const small = simulate({ ...input, guest: { ports, timeWait } });
        assert.ok(small.ports.peak <= ports);
        assert.ok(small.timeWait.peak <= Math.min(ports, timeWait));
        const ranOut = small.ports.peak >= ports || small.connections.localFailures > 0;
        assert.equal(small.ports.exhaustedAtMs !== null, ranOut);
        const { sent, answered, timedOut } = small.init;
        assert.ok(answered + timedOut <= sent);
        assert.deepEqual(simulate({ ...input, guest: { ports, timeWait } }), small);
      },
    ),
    { numRuns: 60 },
  );
});

test('who finds no port takes none from those who did, when it asks again', () => {
  const faults = schedule('http-error');
  const change = { intervalMs: 20, outageMs: 241, mmdsVersion: 'V1' as const, bootPoller: true };
  const guest = { ports: 57, timeWait: 58 };
  const { ports, timeWait } = simulate({ ...usualSandbox, ...change, faults, guest });
  assert.equal(ports.peak, 57);
  assert.equal(timeWait.peak, 57);
});

test('a machine that is too slow makes as many attempts as it can, and no more', () => {
  const machine = { attemptsPerSecond: 10_000, attemptsPerSecondPastHalf: null };
  const { connections, saturatedAtMs } = simulate({ ...usualSandbox, machine });
  assert.ok(Math.abs(connections.perSecondPeak - 10_000) <= 1);
  // 250 pollers demand as much; until then nothing is held up.
  assert.ok(saturatedAtMs !== null && saturatedAtMs >= 25_000);
  assert.ok(Math.abs(connections.total - 475_000) <= 350_000 * 0.01);
  const free = simulate({ ...usualSandbox, outageMs: 20_000 });
  const held = simulate({ ...usualSandbox, outageMs: 20_000, machine });
  assert.ok(free.connections.total - held.connections.total <= 400);
});
