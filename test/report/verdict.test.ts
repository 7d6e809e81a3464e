import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderTable } from '../../src/report/table.js';
import { verdictOf } from '../../src/report/verdict.js';
import type { LaneResult, Result } from '../../src/results/schema.js';
import { partial, storm, unmeasured } from '../fixtures/results.js';

/** A storm with all its checks passed, whatever `change` names otherwise. */
function passing(change: Partial<Result> = {}): Result {
  const result = storm();
  return { ...result, checks: result.checks.filter((c) => c.verdict === 'pass'), ...change };
}

const withLanes = (change: Partial<LaneResult>): Result =>
  passing({ lanes: storm().lanes.map((lane) => ({ ...lane, ...change })) });

test('passed only where checks were asked for and all of them hold', () => {
  assert.deepEqual(verdictOf(passing()), {
    outcome: 'passed',
    reasons: ['1 of 1 check passed'],
    claims: '1 reproduced, 1 refuted, 1 not applicable',
  });
  assert.deepEqual(verdictOf(passing({ checks: [], claims: [] })), {
    outcome: 'measured',
    reasons: ['no checks were asked for'],
    claims: '',
  });
});

test('failed: a check, a lane in trouble, an agent that never answered', () => {
  assert.deepEqual(verdictOf(storm()).reasons, ['1 of 2 checks failed']);
  assert.equal(verdictOf(storm()).outcome, 'failed');
  assert.equal(verdictOf(unmeasured()).reasons[0], '1 lane in trouble');
  const deaf = storm().lanes.map((lane) => ({ ...lane, init: { ...lane.init, answered: 0 } }));
  const { reasons } = verdictOf({ ...storm(), checks: [], lanes: deaf });
  assert.equal(reasons[0], '2 lanes never answered /init');
  assert.equal(verdictOf(unmeasured()).outcome, 'failed');
});

test('not conclusive: interrupted, or an agent that made no attempt at all', () => {
  const interrupted = verdictOf({ ...partial(), checks: passing().checks });
  assert.equal(interrupted.outcome, 'incomplete');
  assert.match(interrupted.reasons[0] ?? '', /^partial: interrupted after/);
  const { connections } = storm().lanes[0] as LaneResult;
  const idle = verdictOf(withLanes({ connections: { ...connections, total: 0 } }));
  assert.equal(idle.outcome, 'incomplete');
  assert.equal(idle.reasons[0], '2 lanes made no attempt to reach MMDS at all');
});

test('attempts that died locally are attempts', () => {
  const { connections } = storm().lanes[0] as LaneResult;
  const lanes = withLanes({ connections: { ...connections, total: 0, localFailures: 9 } });
  assert.equal(verdictOf(lanes).outcome, 'passed');
});

test('not conclusive: an agent that refused every /init', () => {
  const { init } = storm().lanes[0] as LaneResult;
  const refused = withLanes({ init: { ...init, statuses: { 401: init.answered ?? 0 } } });
  const { outcome, reasons } = verdictOf(refused);
  assert.equal(outcome, 'incomplete');
  assert.equal(reasons[0], '2 lanes accepted no /init at all');
  assert.match(
    renderTable(refused, { columns: 120, color: false, unicode: true }),
    /\/init refused +│ +600 \(401\)/,
  );
});
