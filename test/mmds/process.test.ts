import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { type MmdsReply, type MmdsRequest, replySchema } from '../../src/mmds/messages.js';
import { ask, METADATA, token } from './helpers.js';

const PROGRAM = new URL('../../src/mmds/process.js', import.meta.url);

function launch(t: TestContext): ChildProcess {
  const child = fork(PROGRAM, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

async function say(child: ChildProcess, message: unknown): Promise<MmdsReply> {
  const answer = once(child, 'message', { signal: AbortSignal.timeout(20_000) });
  child.send(message as MmdsRequest);
  return replySchema.parse((await answer)[0]);
}

const start = {
  type: 'start',
  config: {
    address: '127.0.0.1',
    port: 0,
    network: { kind: 'loopback' },
    metadata: METADATA,
    version: 'V2',
    close: 'auto',
    fault: { name: 'refused', parameters: {} },
  },
};

test('the process starts, changes and counts on its messages, and ends with its channel', async (t) => {
  const child = launch(t);
  const ready = await say(child, start);
  assert.ok(ready.type === 'ready' && ready.address === '127.0.0.1' && ready.port > 0);
  const mmds = ready as unknown as Parameters<typeof ask>[0];
  await assert.rejects(ask(mmds, 'GET', '/'), { code: 'ECONNREFUSED' });
  const fault = { name: 'none', parameters: {} };
  assert.deepEqual(await say(child, { type: 'fault', fault }), { type: 'faultApplied', fault });
  assert.deepEqual(await say(child, { type: 'metadata', metadata: { a: 'new' } }), {
    type: 'metadataApplied',
  });
  const answer = await ask(mmds, 'GET', '/a', { 'X-metadata-token': await token(mmds) });
  assert.equal(answer.body, 'new');
  assert.deepEqual(await say(child, { type: 'counters' }), {
    type: 'counters',
    accepted: 2,
    requests: 2,
    answered: 2,
    resets: 0,
    evicted: 0,
    waited: 0,
  });
  // A Ctrl-C on the terminal reaches it too, and is the parent's affair.
  child.kill('SIGINT');
  assert.equal((await say(child, { type: 'counters' })).type, 'counters');
  const exited = once(child, 'exit', { signal: AbortSignal.timeout(20_000) });
  child.disconnect();
  assert.deepEqual(await exited, [0, null]);
});

test('whatever goes wrong is told in one line, and the process goes on', async (t) => {
  const child = launch(t);
  const rows: [message: unknown, trouble: RegExp][] = [
    [{ type: 'counters' }, /not started/],
    [{ type: 'what' }, /bad message/],
    [{ ...start, config: { ...start.config, port: 70_000 } }, /bad message: config\.port/],
    [{ ...start, config: { ...start.config, address: '192.0.2.1' } }, /EADDRNOTAVAIL/],
    [
      { ...start, config: { ...start.config, fault: { name: 'blackhole', parameters: {} } } },
      /does not work on loopback/,
    ],
    [{ ...start, config: { ...start.config, metadata: 'x'.repeat(60_000) } }, /holds 51200/],
  ];
  for (const [message, trouble] of rows) {
    const reply = await say(child, message);
    assert.ok(reply.type === 'trouble', JSON.stringify(message));
    assert.match(reply.message, trouble);
    assert.doesNotMatch(reply.message, /\n/);
  }
  assert.equal((await say(child, start)).type, 'ready');
  const wrong = await say(child, { type: 'fault', fault: { name: 'nonne', parameters: {} } });
  assert.ok(wrong.type === 'trouble' && /Did you mean none/.test(wrong.message));
  assert.equal((await say(child, start)).type, 'trouble');
});
