import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type TestContext, test } from 'node:test';
import { identityOf } from '../../src/lane/identity.js';
import { AgentApi } from '../../src/verify/agent-api.js';
import { until } from '../base/until.js';

const SERVED = { instanceID: 'i', envID: 'e' };
const nobody = { rootFile: () => undefined } as unknown as Parameters<typeof identityOf>[1];

/** An agent that answers everything with this. */
async function agent(t: TestContext, body: string): Promise<{ host: string; port: number }> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  }).listen(0, '127.0.0.1');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await until('it listens', () => server.listening);
  const address = server.address();
  return { host: '127.0.0.1', port: typeof address === 'object' && address ? address.port : 0 };
}

function envs(padding: number): string {
  return JSON.stringify({
    E2B_SANDBOX_ID: 'i',
    E2B_TEMPLATE_ID: 'e',
    OTHER: 'x'.repeat(padding),
  });
}

test('an agent says who it is', async (t) => {
  const address = await agent(t, envs(1_000));
  assert.deepEqual(await identityOf(address, nobody, '', SERVED), {
    sandboxId: 'i',
    templateId: 'e',
    isServed: true,
  });
  const api = new AgentApi(address);
  assert.equal((await api.envs())?.E2B_SANDBOX_ID, 'i');
  await api.close();
});

test('an answer of megabytes is not read to its end: nobody knows who that is', async (t) => {
  const address = await agent(t, envs(2 << 20));
  assert.equal(await identityOf(address, nobody, '', SERVED), null);
});

test('nor is it in verify', async (t) => {
  const api = new AgentApi(await agent(t, envs(2 << 20)));
  assert.equal(await api.envs(), undefined);
  await api.close();
});
