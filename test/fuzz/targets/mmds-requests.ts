import assert from 'node:assert/strict';
import { connect } from 'node:net';
import fc from 'fast-check';
import { Firecracker } from '../../../src/mmds/firecracker.js';
import { type Mmds, startMmds } from '../../../src/mmds/mmds.js';
import { HEAD_LIMIT, headEnd } from '../../../src/mmds/request.js';
import { inPieces, mutatedBytes } from '../hostile.js';
import { defineTarget } from '../target.js';

const REQUESTS = [
  'PUT /latest/api/token HTTP/1.1\r\nHost: h\r\nX-metadata-token-ttl-seconds: 60\r\n\r\n',
  'GET / HTTP/1.1\r\nX-metadata-token: AAAA\r\nAccept: application/json\r\n\r\n',
  'GET http://169.254.169.254/a//b HTTP/1.0\r\nAccept-Encoding: identity;q=0\r\n\r\n',
  'PUT /latest/api/token HTTP/1.1\r\nx-aws-ec2-metadata-token-ttl-seconds: +4294967296\r\nX-Forwarded-For: a\r\n\r\n',
  'GET /__proto__/constructor HTTP/1.1\nContent-Length: 4\r\n\r\n',
];
const METADATA = { instanceID: 'i', deep: { list: [1, 'two', null], 'a/b': {} } };
const v1 = new Firecracker('V1', METADATA, () => 0);
const v2 = new Firecracker('V2', METADATA, () => 0);

/** The requests that MMDS reads, as bytes. */
export const mmdsRequests = defineTarget({
  name: 'mmds-requests',
  input: mutatedBytes(REQUESTS),
  check(bytes) {
    const text = bytes.toString('latin1');
    const end = headEnd(text);
    const head = end < 0 ? text : text.slice(0, end);
    for (const firecracker of [v1, v2]) {
      const answer = firecracker.encoded(head, false).toString('utf8');
      const [top = '', ...rest] = answer.split('\r\n\r\n');
      const [line = '', ...fields] = top.split('\r\n');
      assert.match(line, /^HTTP\/1\.[01] (?:200|400|401|404|405|501) $/);
      const names = fields.map((field) => field.slice(0, field.indexOf(':')));
      const length = Number(/^Content-Length: (\d+)$/m.exec(top)?.[1]);
      assert.equal(length, Buffer.byteLength(rest.join('\r\n\r\n')), 'the length of another body');
      assert.ok(names.length <= 5 && new Set(names).size === names.length, `headers: ${names}`);
    }
  },
});

let service: Promise<Mmds> | undefined;

/** The same over a socket, in pieces: MMDS goes on answering, and keeps no more than a head. */
export const mmdsSockets = defineTarget({
  name: 'mmds-sockets',
  input: fc.tuple(
    mutatedBytes([...REQUESTS, 'G'.repeat(2 * HEAD_LIMIT)]),
    fc.array(fc.nat(), { maxLength: 3 }),
  ),
  async check([bytes, cuts]) {
    service ??= startMmds({
      ...{ address: '127.0.0.1', port: 0, network: { kind: 'loopback' }, metadata: METADATA },
      ...{ version: 'V2', close: 'auto', fault: { name: 'none', parameters: {} } },
    });
    const { address, port } = await service;
    await exchange(address, port, inPieces(bytes, cuts));
    const answer = await exchange(address, port, [Buffer.from(REQUESTS[0] ?? '')]);
    assert.match(answer, /^HTTP\/1\.1 200 /, 'MMDS answers no more');
  },
  close: async () => (await service)?.stop(),
});

/** Sends the pieces, and reads until nothing more comes. */
function exchange(host: string, port: number, pieces: readonly Buffer[]): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect({ host, port }, () => {
      for (const piece of pieces) socket.write(piece);
      socket.end();
    });
    socket.on('data', (piece) => {
      text += piece.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
  });
}
