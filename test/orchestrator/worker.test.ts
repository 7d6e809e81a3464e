import assert from 'node:assert/strict';
import { on, once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { monotonicMs } from '../../src/base/clock.js';
import { ORIGIN_NETNS } from '../../src/base/interlock.js';
import type {
  DriverCommand,
  DriverMessage,
  DriverThreadData,
} from '../../src/orchestrator/worker.js';
import { serveHttp } from './servers.js';

function start(t: TestContext, data: Partial<DriverThreadData>): Worker {
  const workerData: DriverThreadData = {
    host: '127.0.0.1',
    port: 1,
    policyName: 'fixed',
    times: { intervalMs: 20, outageMs: 100, retryPauseMs: 5, retryBudgetMs: 10_000 },
    initTimeoutMs: 20_000,
    healthEveryMs: 50,
    healthTimeoutMs: 20_000,
    accessToken: 't',
    ...data,
  };
  const { [ORIGIN_NETNS]: _, ...env } = process.env;
  const worker = new Worker(new URL('../../src/orchestrator/worker.js', import.meta.url), {
    workerData,
    env,
  });
  t.after(() => worker.terminate());
  return worker;
}

/** The next message of that type. Rejects when the thread fails. */
async function next<T extends DriverMessage['type']>(
  worker: Worker,
  type: T,
): Promise<Extract<DriverMessage, { type: T }>> {
  for await (const [message] of on(worker, 'message')) {
    if ((message as DriverMessage).type === type) return message;
  }
  throw new Error('the thread ended');
}

test('the thread warms up, drives, reports and ends when it is closed', async (t) => {
  const origin = await serveHttp(t, (_, response) => response.writeHead(204).end());
  const worker = start(t, { port: Number(new URL(origin).port) });
  const send = (command: DriverCommand): void => worker.postMessage(command);
  await next(worker, 'ready');
  send({ type: 'run', startMs: monotonicMs() });
  const { report } = await next(worker, 'report');
  assert.equal(report.init.answered, 5);
  assert.equal(report.health.answered, 2);
  const exit = once(worker, 'exit');
  send({ type: 'close' });
  await next(worker, 'closed');
  assert.deepEqual(await exit, [0]);
});

test('the thread fails when the agent does not answer', async (t) => {
  const worker = start(t, { host: '127.9.9.9', port: 9 });
  await assert.rejects(next(worker, 'ready'), /ECONNREFUSED/);
});

// The port is 0, so that even without the interlock no packet could leave.
test('the thread refuses a link-local agent outside a namespace of its own', async (t) => {
  const worker = start(t, { host: '169.254.169.254', port: 0 });
  await assert.rejects(next(worker, 'ready'), /link-local/);
});

test('the thread refuses a name where an address is due', async (t) => {
  const worker = start(t, { host: 'localhost', port: 0 });
  await assert.rejects(next(worker, 'ready'), /not an IP address/);
});
