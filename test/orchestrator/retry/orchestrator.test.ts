import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orchestrator } from '../../../src/orchestrator/retry/orchestrator.js';
import type { RetryState, RetryTimes } from '../../../src/orchestrator/retry/policy.js';

const times: RetryTimes = {
  intervalMs: 100,
  outageMs: 60_000,
  retryPauseMs: 5,
  retryBudgetMs: 10_000,
};
const answered = { outcome: 'answered' } as const;
const timedOut = { outcome: 'timedOut' } as const;
const failed = { outcome: 'failed' } as const;

const table: [
  comment: string,
  state: RetryState,
  times: Partial<RetryTimes>,
  due: number | null,
][] = [
  ['the first goes at once', { sent: 0, elapsedMs: 0 }, {}, 0],
  ['the first goes at once, however late', { sent: 0, elapsedMs: 20_000 }, {}, 0],
  ['after a timeout a pause', { sent: 1, elapsedMs: 50, last: timedOut }, {}, 55],
  ['after a transport error a pause', { sent: 3, elapsedMs: 1.5, last: failed }, {}, 6.5],
  ['the first answer ends it', { sent: 1, elapsedMs: 50, last: answered }, {}, null],
  ['a late answer ends it too', { sent: 99, elapsedMs: 5_000, last: answered }, {}, null],
  ['within the budget', { sent: 9, elapsedMs: 9_994.9, last: timedOut }, {}, 9_999.9],
  ['the budget ends it', { sent: 9, elapsedMs: 9_995, last: timedOut }, {}, null],
  ['the outage ends it', { sent: 9, elapsedMs: 995, last: timedOut }, { outageMs: 1_000 }, null],
  ['no pause', { sent: 9, elapsedMs: 7, last: failed }, { retryPauseMs: 0 }, 7],
];
for (const [comment, state, given, due] of table) {
  test(`orchestrator: ${comment}`, () => {
    assert.equal(orchestrator.next(state, { ...times, ...given }), due);
  });
}

test('orchestrator: 50 ms each and 5 ms pause are at most 182 tries in 10 s', () => {
  let sent = 0;
  let elapsedMs = 0;
  for (;;) {
    const due = orchestrator.next({ sent, elapsedMs, last: timedOut }, times);
    if (due === null) break;
    sent++;
    elapsedMs = due + orchestrator.initTimeoutMs;
  }
  // 0, 55, 110, … up to below 10 s.
  assert.equal(sent, Math.ceil(10_000 / 55));
});

test('orchestrator is a closed loop of 50 ms', () => {
  assert.equal(orchestrator.loop, 'closed');
  assert.equal(orchestrator.initTimeoutMs, 50);
});
