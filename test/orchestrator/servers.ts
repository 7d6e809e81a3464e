import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** An HTTP server on a free loopback port that stops with the test. @returns its origin */
export async function serveHttp(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createHttpServer(listener);
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return listen(server);
}

/** A TCP server that stops with the test; `talk` is called with the first bytes of a request. */
export async function serveTcp(
  t: TestContext,
  talk: (socket: Socket, request: string) => void,
): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (piece) => talk(socket, piece.toString('latin1')));
  });
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return listen(server);
}

async function listen(server: Server): Promise<string> {
  server.listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
