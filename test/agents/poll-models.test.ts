import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Attempt } from '../../src/agents/attempt.js';
import { type Counters, newCounters } from '../../src/agents/counters.js';
import type { Metadata } from '../../src/agents/mmds-requests.js';
import { pollModels } from '../../src/agents/poll-models.js';
import { until } from '../base/until.js';
import { assertAddsUp } from './counted.js';
import {
  hangs,
  refusing,
  type ScriptedMmds,
  type ScriptedRequest,
  scriptMmds,
} from './scripted-mmds.js';

interface Tick {
  metadata: Metadata | undefined;
  counters: Counters;
  attempts: Attempt[];
  done: number;
}

/** Starts one tick of a model. */
function startTick(name: string, mmds: ScriptedMmds['address'], ended = () => false): Tick {
  const model = pollModels.get(name);
  assert.ok(model);
  const tick: Tick = { metadata: undefined, counters: newCounters(), attempts: [], done: 0 };
  const context = {
    mmds,
    counters: tick.counters,
    ended,
    started: (attempt: Attempt) => tick.attempts.push(attempt),
  };
  model(context, (metadata) => {
    tick.metadata = metadata;
    tick.done++;
  });
  return tick;
}

async function runTick(name: string, mmds: ScriptedMmds['address']): Promise<Tick> {
  const tick = startTick(name, mmds);
  await until('the tick is done', () => tick.done > 0);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(tick.done, 1);
  assertAddsUp(tick.counters);
  return tick;
}

function script(
  t: TestContext,
  token: (request: ScriptedRequest) => void,
  metadata: (request: ScriptedRequest) => void = (request) => request.answer('{"instanceID":"i"}'),
): Promise<ScriptedMmds> {
  return scriptMmds(t, (request) => (request.isToken ? token : metadata)(request));
}

const ok = (request: ScriptedRequest): void => request.answer('tok');

for (const name of ['envd', 'issue']) {
  test(`${name}: a token, and with it the metadata`, async (t) => {
    const mmds = await script(t, ok);
    const tick = await runTick(name, mmds.address);
    assert.equal(tick.metadata?.sandboxId, 'i');
    assert.equal(tick.counters.attempts, 2);
    assert.equal(tick.attempts.length, 2);
    assert.deepEqual(
      mmds.requests.map((request) => request.isToken),
      [true, false],
    );
    assert.equal(mmds.requests[1]?.header('X-metadata-token'), 'tok');
  });

  test(`${name}: the status of both answers is ignored`, async (t) => {
    const mmds = await script(
      t,
      (request) => request.answer('tok', 401),
      (request) => request.answer('{"instanceID":"i"}', 503),
    );
    assert.equal((await runTick(name, mmds.address)).metadata?.sandboxId, 'i');
  });

  test(`${name}: a body that does not parse is no answer`, async (t) => {
    const mmds = await script(t, ok, (request) => request.answer('<html>', 200));
    const tick = await runTick(name, mmds.address);
    assert.equal(tick.metadata, undefined);
    assert.equal(tick.counters.answered, 2);
  });

  test(`${name}: null is an empty identity`, async (t) => {
    const mmds = await script(t, ok, (request) => request.answer('null'));
    const tick = await runTick(name, mmds.address);
    assert.deepEqual(tick.metadata, { sandboxId: '', templateId: '', accessTokenHash: '' });
  });

  test(`${name}: when nobody waits any more, no second request is made`, async (t) => {
    let ended = false;
    const mmds = await script(t, (request) => {
      ended = true;
      request.answer('tok');
    });
    const tick = startTick(name, mmds.address, () => ended);
    await until('the tick is done', () => tick.done > 0);
    assert.equal(tick.counters.attempts, 1);
    assert.equal(tick.metadata, undefined);
  });

  test(`${name}: a cancelled attempt ends the tick`, async (t) => {
    const mmds = await script(t, hangs);
    let ended = false;
    const tick = startTick(name, mmds.address, () => ended);
    ended = true;
    tick.attempts[0]?.cancel();
    await until('the tick is done', () => tick.done > 0);
    assert.equal(tick.counters.cancelled, 1);
    assertAddsUp(tick.counters);
  });
}

const failures: [comment: string, token: (request: ScriptedRequest) => void, sent?: string][] = [
  ['an empty token', (request) => request.answer('')],
  ['a reset', ({ socket }) => socket.resetAndDestroy()],
  // Go sends no header with a line break in it.
  ['a page of HTML', (request) => request.answer('<html>\n</html>\n'), '<html></html>'],
  ['a close', ({ socket }) => socket.end()],
];
for (const [comment, token, sent = ''] of failures) {
  test(`envd: ${comment} ends the tick`, async (t) => {
    const mmds = await script(t, token);
    const tick = await runTick('envd', mmds.address);
    assert.equal(tick.counters.attempts, 1);
    assert.equal(tick.metadata, undefined);
  });

  test(`issue: after ${comment} the metadata are asked for all the same`, async (t) => {
    const mmds = await script(t, token);
    const tick = await runTick('issue', mmds.address);
    assert.equal(tick.counters.attempts, 2);
    assert.equal(mmds.requests[1]?.header('X-metadata-token'), sent);
    // What is answered is accepted.
    assert.equal(tick.metadata?.sandboxId, 'i');
  });
}

for (const [name, attempts] of [
  ['envd', 1],
  ['issue', 2],
] as const) {
  test(`${name}: refused, a tick makes ${attempts} attempt(s)`, async (t) => {
    const tick = await runTick(name, await refusing(t));
    assert.equal(tick.counters.attempts, attempts);
    assert.equal(tick.counters.refused, attempts);
  });
}
