import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MmdsEvent } from '../../src/mmds/event-log.js';
import { parseFault } from '../../src/mmds/fault-spec.js';
import { ask, METADATA, rawTo, serve, TOKEN_REQUEST, token, until } from './helpers.js';

function brief({ kind, open, request, status, body }: MmdsEvent) {
  return [kind, open, request, status, body.slice(0, 18)];
}

test('all that is seen and answered is written down, in order', async (t) => {
  const mmds = await serve(t);
  const events: MmdsEvent[] = [];
  mmds.watch((some) => events.push(...some));
  await ask(mmds, 'GET', '/count');
  await until('the end', () => events.at(-1)?.kind === 'closed');
  assert.deepEqual(events.map(brief), [
    ['opened', 1, '', 0, ''],
    ['asked', 1, 'GET /count', 0, ''],
    ['answered', 1, 'GET /count', 401, 'No MMDS token prov'],
    ['closed', 0, '', 0, ''],
  ]);
  assert.ok(events.every(({ atMs }, i) => atMs >= (events[i - 1]?.atMs ?? 0)));
  mmds.watch(undefined);
  await ask(mmds, 'GET', '/count');
  assert.equal(events.length, 4);
});

test('a request that is never answered is open, and asked', async (t) => {
  const mmds = await serve(t, 'hang');
  const events: MmdsEvent[] = [];
  mmds.watch((some) => events.push(...some));
  const raw = await rawTo(t, mmds);
  raw.send(TOKEN_REQUEST);
  await until('the request', () => events.length === 2);
  assert.deepEqual(events.map(brief), [
    ['opened', 1, '', 0, ''],
    ['asked', 1, 'PUT /latest/api/token', 0, ''],
  ]);
});

test('slow: an answer is that of the moment of its request', async (t) => {
  const mmds = await serve(t);
  const headers = { 'X-metadata-token': await token(mmds) };
  await mmds.setFault(parseFault('slow:300ms', '--fault'));
  const { requests } = mmds.counters;
  const answer = ask(mmds, 'GET', '/instanceID', headers);
  await until('the request', () => mmds.counters.requests > requests);
  mmds.setMetadata({ ...METADATA, instanceID: 'i-2' });
  assert.equal((await answer).body, 'i-1');
  assert.equal((await ask(mmds, 'GET', '/instanceID', headers)).body, 'i-2');
});
