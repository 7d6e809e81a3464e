import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import type { RemoteEnd } from '../../src/observe/proc/sockets.js';

/** A listener with an address of its own, and the connections that lead to it. */
export class Connections {
  private readonly sockets: Socket[] = [];

  private constructor(readonly remote: RemoteEnd) {}

  static async open(t: TestContext, host: string): Promise<Connections> {
    const server = createServer({ allowHalfOpen: false }, (socket) => socket.resume());
    server.listen({ host, port: 0 });
    await once(server, 'listening');
    const connections = new Connections({ host, port: (server.address() as AddressInfo).port });
    t.after(() => {
      connections.sockets.forEach((socket) => {
        socket.destroy();
      });
      server.close();
    });
    return connections;
  }

  async connect(count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      const socket = connect(this.remote);
      this.sockets.push(socket);
      await once(socket, 'connect');
    }
  }

  /** Closes all from the connecting side, which then holds them in TIME_WAIT. */
  async close(): Promise<void> {
    const open = this.sockets.splice(0);
    await Promise.all(
      open.map((socket) => {
        socket.resume();
        socket.end();
        return once(socket, 'close');
      }),
    );
  }
}
