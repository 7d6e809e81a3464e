import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import type { MmdsAddress } from '../../src/agents/attempt.js';

/** One request as it arrived, and the means to answer it. */
export class ScriptedRequest {
  constructor(
    readonly text: string,
    readonly socket: Socket,
  ) {}

  get isToken(): boolean {
    return this.text.startsWith('PUT /latest/api/token ');
  }

  /** The value of a header, or undefined. */
  header(name: string): string | undefined {
    return new RegExp(`^${name}: *(.*)\r$`, 'im').exec(this.text)?.[1];
  }

  answer(body: string, status = 200): void {
    const length = Buffer.byteLength(body);
    this.raw(`HTTP/1.1 ${status} X\r\nContent-Length: ${length}\r\n\r\n${body}`);
  }

  raw(text: string): void {
    this.socket.write(text, 'latin1');
  }
}

export interface ScriptedMmds {
  address: MmdsAddress;
  requests: ScriptedRequest[];
  /** Connections that are open now. */
  open(): number;
}

/** A server on a free loopback port whose every answer is the test's own; it stops with the test. */
export async function scriptMmds(
  t: TestContext,
  onRequest: (request: ScriptedRequest) => void,
): Promise<ScriptedMmds> {
  const sockets = new Set<Socket>();
  const requests: ScriptedRequest[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.once('data', (piece) => {
      const request = new ScriptedRequest(piece.toString('latin1'), socket);
      requests.push(request);
      onRequest(request);
    });
  });
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  server.listen({ host: '127.0.0.1', port: 0, backlog: 1024 });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { address: { host: '127.0.0.1', port }, requests, open: () => sockets.size };
}

/** Serves these metadata as Firecracker does; also `null`. */
export function serves(metadata: object | null): (request: ScriptedRequest) => void {
  return (request) => request.answer(request.isToken ? 'token' : JSON.stringify(metadata));
}

/** A script that hangs. */
export function hangs(): void {}

/**
 * An address that refuses: somebody listens at this port of 127.0.0.1, so nobody else comes to listen
 * at it on another loopback address meanwhile.
 */
export async function refusing(t: TestContext): Promise<MmdsAddress> {
  const { address } = await scriptMmds(t, hangs);
  return { host: '127.9.9.9', port: address.port };
}
