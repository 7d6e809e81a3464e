import assert from 'node:assert/strict';
import { test } from 'node:test';
import { displayWidth, type View } from '../../src/report/layout.js';
import { renderVerification } from '../../src/report/verify.js';
import { VERIFY_SCHEMA, type Verification, verifySchema } from '../../src/results/verify.js';

const timeline: Verification['scenarios'][number]['timeline'] = [
  { atMs: 0, untilMs: 0, count: 1, kind: 'step', text: 'MMDS: hang' },
  { atMs: 12.3, untilMs: 99, count: 7, kind: 'poll', text: 'asks for a session token' },
];

const verification: Verification = {
  schema: VERIFY_SCHEMA,
  agent: 'head',
  kind: 'external',
  version: '0.6.14',
  base: 'base',
  isolation: 'netns',
  times: { lifetimeMs: 60_000, tickMs: 50 },
  tool: { version: '0.1.0' },
  startedAt: '2026-01-02T03:04:05.678Z',
  durationMs: 83_456,
  complete: true,
  scenarios: [
    {
      scenario: 'at-most-one',
      verdict: 'fail',
      reason: '2 pollers',
      timeline,
      runs: { pass: 0, fail: 1, skipped: 0 },
    },
    {
      scenario: 'delivers',
      verdict: 'pass',
      reason: 'it arrived',
      timeline,
      runs: { pass: 1, fail: 0, skipped: 0 },
    },
    {
      scenario: 'poller-crash',
      verdict: 'skipped',
      reason: 'unseen',
      timeline,
      runs: { pass: 0, fail: 0, skipped: 1 },
    },
  ],
};

const plain: View = { columns: 100, color: false, unicode: true };

test('verdicts with their reasons, and the evidence of a failure alone', () => {
  assert.equal(
    renderVerification(verification, plain),
    `head 0.6.14 · a program · pollers of 1m, ticks of 50ms · netns · against base

FAIL  at-most-one   2 pollers
         0.000 s  step      MMDS: hang
         0.012 s  poll      asks for a session token (7 times until 0.099 s)
PASS  delivers      it arrived
SKIP  poller-crash  unseen

1 passed, 1 failed, 1 skipped in 1m23.5s
`,
  );
});

test('an interrupted suite says that it is partial', () => {
  const text = renderVerification({ ...verification, complete: false }, plain);
  assert.match(text, /partial: interrupted\n$/);
});

test('no line is wider than the terminal, and colour comes only when asked for', () => {
  for (const columns of [24, 40, 60, 80, 140]) {
    const text = renderVerification(verification, { ...plain, columns, unicode: false });
    assert.match(text, /^\p{ASCII}*$/u);
    assert.ok(!text.includes('\u001B'));
    for (const line of text.split('\n')) {
      assert.ok(displayWidth(line) <= Math.max(columns, 42), `${columns}: ${line}`);
    }
  }
  assert.ok(renderVerification(verification, { ...plain, color: true }).includes('\u001B[31mFAIL'));
});

test('the document passes its own schema, and a foreign one does not', () => {
  assert.deepEqual(verifySchema.parse(verification), verification);
  assert.equal(
    verifySchema.safeParse({ ...verification, schema: 'envd-bench/verify/v2' }).success,
    false,
  );
});
