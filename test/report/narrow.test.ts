import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { displayWidth, wrapWords } from '../../src/report/layout.js';
import { type LiveState, liveFrame, liveLine } from '../../src/report/live.js';
import { renderMatrix } from '../../src/report/matrix.js';
import { renderPlanCheck } from '../../src/report/plan/check.js';
import { MATRIX_SCHEMA, type Matrix } from '../../src/results/matrix.js';
import type { PlanCheck } from '../../src/results/plan.js';
import { storm } from '../fixtures/results.js';

const view = { columns: 60, rows: 24, color: false, unicode: true };

function matrix(): Matrix {
  const { lanes, claims, machine, tool, startedAt, id } = storm();
  const overloaded = lanes.map((lane) => ({ ...lane, overload: ['agent' as const] }));
  const cell = { retry: 'fixed', poller: 'envd', claims };
  return {
    schema: MATRIX_SCHEMA,
    id,
    startedAt,
    complete: false,
    tool,
    machine,
    options: { faults: [], retries: [], pollers: [], scenario: {} },
    isolation: 'netns',
    cells: [
      { ...cell, fault: 'refused', lanes },
      { ...cell, fault: 'http-error', lanes: overloaded },
      {
        ...cell,
        fault: 'blackhole',
        lanes: [],
        claims: [],
        skipped: 'is not possible on loopback',
      },
    ],
  };
}

const check: PlanCheck = {
  ...({ schema: 'envd-bench/plan-check/v1', calibration: null } as unknown as PlanCheck),
  lanes: [
    {
      ...({ fault: 'http-error', agent: 'unguarded', skipped: null } as PlanCheck['lanes'][number]),
      comparisons: ['pollers peak', 'connections/s peak', 'connections total', 'ports peak'].map(
        (figure) => ({
          figure,
          measured: 23_812,
          predicted: 24_000,
          range: [24_000, 24_000],
          error: -0.008,
          verdict: 'pass',
        }),
      ) as PlanCheck['lanes'][number]['comparisons'],
      series: { pollers: 0.01, connectionsPerSecond: 0.02, portsInUse: null },
    },
  ],
};

test('matrix and plan --check fit into any width, and keep their figures', () => {
  fc.assert(
    fc.property(fc.integer({ min: 24, max: 400 }), fc.boolean(), (columns, unicode) => {
      for (const text of [
        renderMatrix(matrix(), { columns, unicode, color: false }),
        renderPlanCheck(check, { columns, unicode, color: false }),
      ]) {
        for (const line of text.split('\n')) {
          assert.ok(displayWidth(line) <= columns, `${displayWidth(line)} of ${columns}: ${line}`);
        }
        assert.match(text, /23,812/);
        if (!unicode) assert.match(text, /^\p{ASCII}*$/u);
      }
      const text = renderMatrix(matrix(), { columns, unicode, color: false });
      assert.match(text.replaceAll(/\s+/g, ' '), /not possible on loopback/);
    }),
    { numRuns: 40 },
  );
});

test('in a narrow matrix every figure says whose it is', () => {
  const text = renderMatrix(matrix(), { ...view, columns: 60 });
  assert.match(text, /unguarded: pollers: 600\n/);
  assert.match(text, /\n {2}guarded: connections\/s \[asked for\]: 40\/s \[40\]\n/);
});

function live(...lanes: [name: string, pollers: number[]][]): LiveState {
  return {
    elapsedMs: 10_000,
    outageMs: 60_000,
    lanes: lanes.map(([name, pollers]) => ({
      name,
      points: { pollers, connectionsPerSecond: pollers, portsInUse: pollers },
    })),
  };
}

test('all lanes have one scale: 1 poller does not look like 600', () => {
  const lines = liveFrame(live(['unguarded', [300, 600]], ['guarded', [1, 1]]), view).split('\n');
  assert.equal(lines[2], '  pollers           600 ▅█');
  assert.equal(lines[6], '  pollers             1 ▁▁');
});

test('one is no plural', () => {
  assert.match(
    liveLine(live(['guarded', [1]])),
    /guarded: 1 poller, 1 connection\/s, 1 port in use$/,
  );
  assert.match(
    liveLine(live(['guarded', [0]])),
    /guarded: 0 pollers, 0 connections\/s, 0 ports in use$/,
  );
});

test('a line that stays is broken between words, and a path stays whole', () => {
  const path = `/tmp/${'x'.repeat(60)}/result.json`;
  assert.deepEqual(wrapWords(`result: ${path}`, 40, '  '), ['result:', `  ${path}`]);
  assert.deepEqual(wrapWords('isolation: netns (user namespaces work here)', 40, '  '), [
    'isolation: netns (user namespaces work',
    '  here)',
  ]);
});
