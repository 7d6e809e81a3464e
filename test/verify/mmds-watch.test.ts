import assert from 'node:assert/strict';
import { test } from 'node:test';
import { monotonicMs } from '../../src/base/clock.js';
import type { MmdsEvent } from '../../src/mmds/event-log.js';
import { carries, MmdsWatch } from '../../src/verify/mmds-watch.js';
import { Timeline } from '../../src/verify/timeline.js';

/** A time that is long over, so that every window up to now is whole. */
const PAST_MS = monotonicMs();

function event(more: Partial<MmdsEvent>): MmdsEvent {
  return { atMs: PAST_MS, kind: 'opened', open: 0, request: '', status: 0, body: '', ...more };
}

function levels(...pairs: [atMs: number, open: number][]): MmdsEvent[] {
  return pairs.map(([atMs, open]) => event({ atMs: PAST_MS - 10_000 + atMs, open }));
}

test('two connections for a moment are one poller that changes over', () => {
  const watch = new MmdsWatch(new Timeline(0));
  watch.take(levels([0, 1], [5_000, 2], [5_003, 1], [9_000, 2], [9_050, 1]));
  assert.equal(watch.mostHeld(250), 1);
});

test('two connections that stay are two pollers, whoever else comes and goes', () => {
  const watch = new MmdsWatch(new Timeline(0));
  watch.take(levels([0, 1], [100, 2], [200, 3], [210, 2], [400, 1]));
  assert.equal(watch.mostHeld(250), 2);
  watch.restart();
  assert.equal(watch.mostHeld(0), 1);
});

test('a level counts only once its window is over', () => {
  const watch = new MmdsWatch(new Timeline(0));
  watch.take([event({ atMs: monotonicMs() + 60_000, open: 3 })]);
  assert.equal(watch.mostHeld(250), 0);
});

test('polls are session tokens asked for; a restart forgets them', () => {
  const watch = new MmdsWatch(new Timeline(0));
  watch.take([
    event({ kind: 'asked', request: 'PUT /latest/api/token' }),
    event({ kind: 'answered', request: 'PUT /latest/api/token', status: 200, body: 'token' }),
    event({ kind: 'asked', request: 'GET /' }),
    event({
      kind: 'answered',
      request: 'GET /',
      status: 200,
      body: '{"instanceID":"i-1","envID":"t"}',
    }),
  ]);
  assert.deepEqual([watch.polls, watch.metadataAsked], [1, 1]);
  assert.ok(watch.answer(carries('i-1')));
  assert.equal(watch.answer(carries('i-2')), undefined);
  watch.restart();
  assert.deepEqual([watch.polls, watch.metadataAsked], [0, 0]);
  assert.equal(watch.answer(carries('i-1')), undefined);
});
