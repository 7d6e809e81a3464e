import assert from 'node:assert/strict';
import { test } from 'node:test';
import { estimatePollers, type PollerSign } from '../../src/observe/poller-estimate.js';

const RATE: PollerSign = { kind: 'rate', perPoller: 40 };

const table: [
  comment: string,
  sign: PollerSign,
  outstanding: number | null,
  rate: number | null,
  pollers: number | null,
][] = [
  ['the attempts outstanding are the pollers', { kind: 'outstanding' }, 7, 0, 7],
  ['none outstanding', { kind: 'outstanding' }, 0, 0, 0],
  ['outstanding, not measured', { kind: 'outstanding' }, null, 100, null],
  ['the rate tells how many', RATE, 0, 400, 10],
  ['to the nearest', RATE, null, 61, 2],
  ['no rate', RATE, 5, 0, 0],
  ['the rate was not measured', RATE, 5, null, null],
  ['a poller makes no attempts', { kind: 'rate', perPoller: 0 }, 5, 100, null],
  ['no sign', { kind: 'none' }, 5, 100, null],
];
for (const [comment, sign, outstanding, rate, pollers] of table) {
  test(`pollers from the kernel: ${comment}`, () => {
    assert.equal(estimatePollers(sign, outstanding, rate), pollers);
  });
}
