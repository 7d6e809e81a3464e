import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  cumulativeAttempts,
  demandPerSecond,
  issueStorm,
  pollersAt,
  portsHeldAt,
  steadyPollersThatFill,
  timeToFillPortsMs,
  timeWaitLimit,
} from '../../src/model/closed-form.js';
import { attemptsPerTick } from '../../src/model/facts.js';

const DEFAULT_PORTS = 28_232;
const atDefault = issueStorm(100);

test('the figures of the issue follow from its storm', () => {
  assert.equal(pollersAt(60_000, atDefault), 600);
  assert.equal(demandPerSecond(1, 2), 40);
  assert.equal(demandPerSecond(600, 2), 24_000);
  assert.equal(cumulativeAttempts(60_000, atDefault), 720_000);
});

test('the number of pollers', () => {
  const rows = [
    { why: 'before the first /init there are none', tMs: -5, is: 0 },
    { why: 'it rises with time', tMs: 20_000, is: 200 },
    { why: 'and stops rising when the first poller ends', tMs: 90_000, is: 600 },
  ];
  for (const { why, tMs, is } of rows) assert.equal(pollersAt(tMs, atDefault), is, why);
});

test('the time until the ports are full', () => {
  const rows: { why: string; ports: number; intervalMs: number; seconds: number | null }[] = [
    { why: 'the default range', ports: DEFAULT_PORTS, intervalMs: 100, seconds: 11.9 },
    { why: 'half of it, the knee', ports: DEFAULT_PORTS / 2, intervalMs: 100, seconds: 8.4 },
    {
      why: 'pollers so rare that they take over 60 s',
      ports: 25_000,
      intervalMs: 3000,
      seconds: 61.3,
    },
    {
      why: 'a second slower, and they never do',
      ports: DEFAULT_PORTS,
      intervalMs: 6000,
      seconds: null,
    },
  ];
  for (const { why, ports, intervalMs, seconds } of rows) {
    const ms = timeToFillPortsMs(ports, issueStorm(intervalMs));
    assert.equal(ms === null ? null : Math.round(ms / 100) / 10, seconds, why);
  }
});

test('twelve steady pollers fill the default range', () => {
  assert.equal(steadyPollersThatFill(DEFAULT_PORTS, 2), 12);
});

test('the TIME_WAIT limit is the kernel’s', () => {
  const MiB = 2 ** 20;
  const GiB = 2 ** 30;
  const rows = [
    { why: 'a small guest', bytes: 512 * MiB, limit: 2048 },
    { why: 'the default template', bytes: GiB, limit: 4096 },
    { why: 'between two powers of two it rounds up', bytes: GiB + 1, limit: 8192 },
    { why: 'a large guest', bytes: 24 * GiB, limit: 131_072 },
    { why: 'the table stops growing', bytes: 1024 * GiB, limit: 262_144 },
    { why: 'never negative or a fraction', bytes: 1, limit: 0 },
  ];
  for (const { why, bytes, limit } of rows) assert.equal(timeWaitLimit(bytes), limit, why);
});

test('attempts per tick', () => {
  const rows: { why: string; fault: string; issue: number; envd: number | null }[] = [
    { why: 'a refused token request ends the tick', fault: 'refused', issue: 2, envd: 1 },
    { why: 'so does a reset', fault: 'reset', issue: 2, envd: 1 },
    { why: 'and an empty token', fault: 'empty-token', issue: 2, envd: 1 },
    { why: 'and one that hangs', fault: 'hang', issue: 2, envd: 1 },
    { why: 'any body is a token, whatever the status', fault: 'http-error', issue: 2, envd: 2 },
    { why: 'HTML has line breaks, which no header may have', fault: 'hijack', issue: 2, envd: 1 },
    { why: 'both are answered', fault: 'null', issue: 2, envd: 2 },
    { why: 'depends on the instant', fault: 'flap', issue: 2, envd: null },
    { why: 'nothing is known of a new fault', fault: 'new', issue: 2, envd: null },
  ];
  for (const { why, fault, issue, envd } of rows) {
    assert.equal(attemptsPerTick(fault, 'issue'), issue, why);
    assert.equal(attemptsPerTick(fault, 'envd'), envd, why);
  }
});

const storm = fc.record({
  intervalMs: fc.integer({ min: 1, max: 10_000 }),
  lifetimeMs: fc.integer({ min: 1000, max: 120_000 }),
  tickMs: fc.integer({ min: 1, max: 500 }),
  attemptsPerTick: fc.integer({ min: 1, max: 2 }),
});

test('the attempts are the integral of the demand', () => {
  fc.assert(
    fc.property(storm, fc.integer({ min: 1, max: 200_000 }), (shape, tMs) => {
      const step = tMs / 500;
      let sum = 0;
      for (let i = 0; i < 500; i++) {
        const pollers = pollersAt((i + 0.5) * step, shape);
        sum += (demandPerSecond(pollers, shape.attemptsPerTick, shape.tickMs) * step) / 1e3;
      }
      const exact = cumulativeAttempts(tMs, shape);
      // The midpoint rule is exact on straight lines: it errs in the one step with the bend.
      const bend = (shape.attemptsPerTick * step ** 2) / (8 * shape.intervalMs * shape.tickMs);
      assert.ok(Math.abs(sum - exact) <= bend + exact * 1e-9, `${sum} and ${exact}`);
    }),
  );
});

test('at the time it takes to fill them, exactly so many ports are held', () => {
  fc.assert(
    fc.property(storm, fc.integer({ min: 1, max: 60_000 }), (shape, ports) => {
      const ms = timeToFillPortsMs(ports, shape);
      const most = portsHeldAt(1e9, shape);
      if (ms === null) assert.ok(most < ports);
      else assert.ok(Math.abs(portsHeldAt(ms, shape) - ports) <= 1e-3 * ports + 1);
    }),
  );
});

test('as many steady pollers as are said to fill the ports do, and one fewer does not', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 65_535 }), fc.constantFrom(1, 2), (ports, attempts) => {
      const pollers = steadyPollersThatFill(ports, attempts);
      assert.ok(demandPerSecond(pollers, attempts) * 60 >= ports);
      assert.ok(demandPerSecond(pollers - 1, attempts) * 60 < ports);
    }),
  );
});
