import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:net';
import fc from 'fast-check';
import { HttpResponseReader } from '../../../src/agents/http-response.js';
import { parseInitRequest } from '../../../src/agents/init-request.js';
import { metadataRequest, parseMetadata } from '../../../src/agents/mmds-requests.js';
import { identityOf } from '../../../src/lane/identity.js';
import { RequestStream } from '../../../src/orchestrator/request-stream.js';
import { requestsSchema } from '../../../src/results/schema.js';
import { AgentApi } from '../../../src/verify/agent-api.js';
import { assertPlain, inPieces, mutatedBytes } from '../hostile.js';
import { defineTarget } from '../target.js';

const ANSWERS = [
  'HTTP/1.1 204 No Content\r\nX-Envd-Version: 0.6.13\r\nConnection: close\r\n\r\n',
  'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 60\r\n\r\n{"E2B_SANDBOX_ID":"isandbox-of-this-lane","E2B_TEMPLATE_ID":""}',
  'HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n',
  'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 200 OK\r\n\r\n{"instanceID":"i","envID":"e","accessTokenHash":"h"}',
  'HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/latest\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 999 \r\nX-Envd-Version: a\r\nX-Envd-Version: b\r\nContent-Length: 99999999999999\r\n\r\n',
];

/** What a reference agent reads of MMDS, in pieces. */
export const mmdsAnswers = defineTarget({
  name: 'mmds-answers',
  input: fc.tuple(mutatedBytes(ANSWERS), fc.array(fc.nat(), { maxLength: 5 })),
  check([bytes, cuts]) {
    const read = (pieces: readonly Buffer[]) => {
      const reader = new HttpResponseReader();
      try {
        for (const piece of pieces) {
          const answer = reader.push(piece);
          if (answer) return { status: answer.status, body: answer.body.toString('latin1') };
        }
        const answer = reader.end();
        return answer && { status: answer.status, body: answer.body.toString('latin1') };
      } catch (thrown) {
        assert.match(String(thrown), /^Error: (?:no HTTP answer|broken chunk|answer of more)/);
        return 'broken';
      }
    };
    const whole = read([bytes]);
    // How it was cut is chance, and must not decide what the agent reads.
    assert.deepEqual(read(inPieces(bytes, cuts)), whole);
    if (typeof whole !== 'object') return;
    parseMetadata(Buffer.from(whole.body, 'latin1'));
    parseInitRequest(whole.body);
    const request = metadataRequest({ host: '169.254.169.254', port: 80 }, whole.body);
    assert.equal(request.match(/\r\n/g)?.length, 7, 'a header was injected');
  },
});

/** A server that answers each connection with the bytes of the moment. */
class Parrot {
  bytes: Buffer = Buffer.alloc(0);
  connections = 0;
  private readonly listening: Promise<{ host: string; port: number }>;
  private readonly server: Server;

  constructor() {
    this.server = createServer((socket) => {
      this.connections++;
      socket.on('error', () => {});
      socket.once('data', () => socket.end(this.bytes));
    });
    this.listening = new Promise((resolve) => {
      this.server.listen(0, '127.0.0.1', () => {
        const address = this.server.address();
        const port = typeof address === 'object' && address ? address.port : 0;
        resolve({ host: '127.0.0.1', port });
      });
    });
    this.server.unref();
  }

  address() {
    return this.listening;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

const parrot = new Parrot();
const noProcess = { rootFile: () => undefined } as unknown as Parameters<typeof identityOf>[1];

/** What the driver, `/envs` and `verify` read of an agent, over a socket. */
export const agentAnswers = defineTarget({
  name: 'agent-answers',
  input: mutatedBytes(ANSWERS),
  async check(bytes) {
    parrot.bytes = bytes;
    const agent = await parrot.address();
    const before = parrot.connections;
    let headers: unknown;
    const shape = { method: 'POST', path: '/init', body: () => '{}' } as const;
    const stream = new RequestStream(`http://127.0.0.1:${agent.port}`, shape, 2_000, (seen) => {
      headers = seen;
    });
    await stream.send(0);
    await stream.settled();
    await stream.close();
    const summary = stream.summary();
    requestsSchema.parse(JSON.parse(JSON.stringify(summary)));
    const { sent, answered, timedOut, failed } = summary;
    assert.deepEqual([sent, answered + timedOut + failed], [1, 1]);
    assert.ok(answered === 0 || headers);
    const identity = await identityOf(agent, noProcess, '', { instanceID: 'i', envID: 'e' });
    if (identity) assertPlain(`${identity.sandboxId}${identity.templateId}`);
    const api = new AgentApi(agent);
    const { version, error, status } = await api.init();
    await api.close();
    if (version !== null) assertPlain(version);
    assert.ok((status === null) === (error !== null));
    // No answer leads anywhere else or is asked for again.
    assert.equal(parrot.connections - before, 3);
  },
  close: () => parrot.close(),
});
