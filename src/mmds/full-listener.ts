import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { assertMayReach } from '../base/interlock.js';
import { CONNECTION_LIMIT } from './connections.js';

/** A listener all of whose places are taken; open until {@link FullListener.close}. */
export interface FullListener {
  close(): Promise<void>;
}

/** What the worker is told: where to listen, and what to wait for before it stops. */
export interface FullListenerData {
  readonly address: string;
  readonly port: number;
  readonly backlog: number;
  readonly gate: SharedArrayBuffer;
}

// On loopback the holders must not be taken for sockets of the agent, which uses low addresses.
const LOOPBACK_HOLDER = '127.255.255.254';
const FILL_MS = 5000;

/**
 * Listens without ever accepting, and fills the kernel's accept queue with connections of its own,
 * as many as Firecracker serves. From then on the kernel drops every SYN for this address, unless
 * net.ipv4.tcp_abort_on_overflow is set.
 *
 * Node accepts whatever arrives, so the listener belongs to a thread that sleeps.
 * @throws Error when the address is taken, or not to be reached from here
 */
export async function listenFull(address: string, port: number): Promise<FullListener> {
  assertMayReach(address);
  const gate = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  // The queue of the kernel has one place more than the backlog.
  const data: FullListenerData = { address, port, backlog: CONNECTION_LIMIT - 1, gate };
  const worker = new Worker(new URL('./full-listener-worker.js', import.meta.url), {
    workerData: data,
  });
  const holders: Socket[] = [];
  const close = async (): Promise<void> => {
    const exited = worker.threadId === -1 ? undefined : once(worker, 'exit');
    Atomics.store(new Int32Array(gate), 0, 1);
    Atomics.notify(new Int32Array(gate), 0);
    await exited;
    for (const holder of holders) holder.destroy();
  };
  try {
    await once(worker, 'message');
    await fill(holders, address, port);
  } catch (thrown) {
    await close();
    throw thrown;
  }
  return { close };
}

/** Resolves when all holders are connected, or when the clients of others were faster. */
async function fill(holders: Socket[], address: string, port: number): Promise<void> {
  const from = address.startsWith('127.') ? { localAddress: LOOPBACK_HOLDER } : {};
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, FILL_MS);
  });
  const connected: Promise<void>[] = [];
  for (let index = 0; index < CONNECTION_LIMIT; index++) {
    const holder = connect({ host: address, port, ...from });
    holders.push(holder);
    connected.push(
      new Promise((resolve) => {
        holder.once('connect', resolve);
        holder.on('error', () => resolve());
      }),
    );
  }
  await Promise.race([Promise.all(connected), late]);
  clearTimeout(timer);
}
