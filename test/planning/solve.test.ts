import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { brokenLimit, parseLimits } from '../../src/planning/limits.js';
import { DEFAULT_PORT_RANGE } from '../../src/planning/measured.js';
import { planSolution, planWith, solve, UNKNOWNS } from '../../src/planning/solve.js';
import { solutionSentences } from '../../src/report/plan/figures.js';
import { assertUsageError } from '../base/usage-error.js';
import { planOf, someCalibration, usualPlan } from './plans.js';

const anyLimits = fc
  .record(
    {
      maxPollers: fc.integer({ min: 1, max: 800 }).map(String),
      maxConnectionsPerSecond: fc.integer({ min: 20, max: 30_000 }).map(String),
      maxPorts: fc.integer({ min: 1, max: 100 }).map((share) => `${share}%`),
      maxCpu: fc.integer({ min: 1, max: 200 }).map((share) => `${share / 100}`),
    },
    { requiredKeys: ['maxConnectionsPerSecond'] },
  )
  .map((texts) => parseLimits(texts));

const anyPlan = fc
  .record({
    intervalMs: fc.integer({ min: 20, max: 2000 }),
    outageMs: fc.integer({ min: 500, max: 30_000 }),
    fault: fc.constantFrom('http-error', 'refused', 'hang', 'slow', 'none'),
  })
  .map(({ fault, ...change }) => ({
    ...planOf({ ...change, fault }),
    faults: [{ atMs: 0, name: fault, parameters: {} }],
    calibration: someCalibration,
  }));

for (const [what, { largest, range }] of UNKNOWNS) {
  test(`${what}: the model keeps the limits at the answer, and breaks one just past it`, () => {
    fc.assert(
      fc.property(anyPlan, anyLimits, (plan, limits) => {
        const { answers } = solve(plan, what, limits);
        plan.agents.forEach((agent, i) => {
          const found = answers[i];
          assert.equal(found?.agent, agent.name);
          const broken = (value: number) => brokenLimit(planWith(plan, agent, what, value), limits);
          const [safest, boldest] = largest ? range : [range[1], range[0]];
          if (found.value === null) {
            assert.equal(broken(safest)?.text, found.binds);
            return;
          }
          assert.equal(broken(found.value), undefined);
          if (found.binds === null) assert.equal(found.value, boldest);
          else assert.equal(broken(found.value + (largest ? 1 : -1))?.text, found.binds);
        });
      }),
      { numRuns: 12 },
    );
  });
}

test('known answers', () => {
  const rows = [
    { why: 'half of 601 pollers', what: 'outage', texts: { maxPollers: '300' }, value: 30_000 },
    {
      why: '200 pollers in 20 s, all of them alive at the end',
      what: 'interval',
      texts: { maxPollers: '200' },
      value: 100,
    },
    {
      why: '200 sandboxes of one poller in 20 s at the most',
      what: 'sandboxes-per-host',
      texts: { maxPollers: '450' },
      value: 2,
    },
  ] as const;
  for (const { why, what, texts, value } of rows) {
    assert.equal(solve(usualPlan, what, parseLimits(texts)).answers[0]?.value, value, why);
  }
});

test('a limit that nothing in the range reaches: no proposal, but what keeps it', () => {
  // A guest of 1 GiB keeps 4,096 sockets in TIME_WAIT, far from half of 28,232 ports.
  const small = planOf({ guest: { memoryBytes: 2 ** 30, portRange: DEFAULT_PORT_RANGE } });
  const solution = solve(small, 'interval', parseLimits({ maxPorts: '50%' }));
  assert.deepEqual(solution.answers[0], {
    agent: 'unguarded',
    value: 1,
    binds: null,
    reached: [
      {
        limit: '--max-ports 50%',
        of: 'share of the ports',
        value: 4096 / 28_232,
        heldBy: 'TIME_WAIT table full',
      },
    ],
  });
  assert.deepEqual(planSolution(small, solution), []);
  assert.match(solutionSentences(solution)[0] ?? '', /no interval from 1ms up breaks .*14.5 % of/);
});

test('the demand is what a run predicts, the peak what a whole second holds', () => {
  const agent = planOf({ outageMs: 60_000, fault: 'refused' });
  const [plan] = [{ ...agent, faults: [{ atMs: 0, name: 'refused', parameters: {} }] }].map(
    (planned) => planWith(planned, planned.agents[0] ?? assert.fail(), 'interval', 100),
  );
  assert.equal(plan?.demandPerSecondPeak, 24_000);
  assert.equal(plan?.perSandbox.connectionsPerSecondPeak, 23_800);
});

test('no solution is an answer, and says which limit binds', () => {
  const { answers } = solve(usualPlan, 'interval', parseLimits({ maxConnectionsPerSecond: '10' }));
  assert.deepEqual(answers[0], {
    agent: 'unguarded',
    value: null,
    binds: '--max-connections-per-second 10',
    reached: null,
  });
});

test('what cannot be decided is refused in one line', () => {
  const rows = [
    { why: 'no limit', plan: usualPlan, what: 'interval', texts: {}, says: /needs a limit/ },
    {
      why: 'CPU is not known',
      plan: usualPlan,
      what: 'interval',
      texts: { maxCpu: '1' },
      says: /--max-cpu 1 needs to know.*--from/,
    },
    {
      why: 'ports do not depend on the neighbours',
      plan: usualPlan,
      what: 'sandboxes-per-host',
      texts: { maxPorts: '50%' },
      says: /--max-ports and --solve sandboxes-per-host contradict/,
    },
    {
      why: 'fewer pollers than sandboxes',
      plan: planOf({ sandboxesPerHost: 200 }),
      what: 'interval',
      texts: { maxPollers: '100' },
      says: /--max-pollers 100 and --sandboxes-per-host 200 contradict/,
    },
  ] as const;
  for (const { why, plan, what, texts, says } of rows) {
    const { message } = assertUsageError(() => solve(plan, what, parseLimits(texts)));
    assert.match(message, says, why);
  }
});
