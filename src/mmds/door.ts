import { readFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, messageOf } from '../base/errors.js';
import { setAddress } from './address.js';
import type { Reach } from './fault.js';
import { type FullListener, listenFull } from './full-listener.js';

/** Where MMDS runs. In a namespace, `device` is the host side's, which holds the address. */
export type Network =
  | { readonly kind: 'netns'; readonly device: string }
  | { readonly kind: 'loopback' };

/** Room for a storm's attempts between two turns of the event loop; the kernel caps it at somaxconn. */
const BACKLOG = 4096;
const LISTEN_TRIES = 50;
const LISTEN_PAUSE_MS = 20;

/** The address of the service: what the kernel does with an attempt to connect to it. */
export class Door {
  readonly address: string;
  readonly #network: Network;
  readonly #onSocket: (socket: Socket) => void;
  readonly #onTrouble: (message: string) => void;
  /** The codes of accept errors that were told already: out of descriptors, one fails per attempt. */
  readonly #told = new Set<string>();
  #port: number;
  #listener: Server | FullListener | undefined;
  #listening: 'open' | 'closed' | 'full' = 'closed';
  #present = true;

  constructor(
    address: string,
    port: number,
    network: Network,
    onSocket: (socket: Socket) => void,
    onTrouble: (message: string) => void,
  ) {
    this.address = address;
    this.#port = port;
    this.#network = network;
    this.#onSocket = onSocket;
    this.#onTrouble = onTrouble;
  }

  get port(): number {
    return this.#port;
  }

  /**
   * Finds a free port if it was 0, and keeps it from then on, whether anything listens or not.
   * @throws Error when the port is taken or the address is not this machine's
   */
  async begin(): Promise<void> {
    const candidates = this.#port === 0 ? freePortCandidates() : [this.#port];
    for (const [index, port] of candidates.entries()) {
      try {
        await this.#open(port);
        return;
      } catch (thrown) {
        if (codeOf(thrown) !== 'EADDRINUSE' || index === candidates.length - 1) throw thrown;
      }
    }
  }

  /** Goes over to another reach. @throws Error when the system does not let it */
  async go(reach: Reach): Promise<void> {
    if (reach === 'vanished') {
      await this.#setPresent(false);
      return;
    }
    if (reach === this.#listening) {
      await this.#setPresent(true);
      return;
    }
    await this.#stopListening();
    await this.#setPresent(true);
    if (reach === 'open') await this.#openAgain();
    if (reach === 'full') {
      this.#listener = await retryWhileTaken(() => listenFull(this.address, this.#port));
      this.#listening = 'full';
    }
  }

  /** Stops listening and leaves the address as it was found. */
  async end(): Promise<void> {
    await this.#stopListening();
    await this.#setPresent(true);
  }

  async #openAgain(): Promise<void> {
    await retryWhileTaken(() => this.#open(this.#port));
  }

  async #open(port: number): Promise<void> {
    // TIME_WAIT is to lie with the agent: without half-open sockets Node would answer a FIN
    // itself, and with them this side says when it closes. No delay on write: one answer, one write.
    const server = createServer({ allowHalfOpen: true }, this.#onSocket);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: this.address, port, backlog: BACKLOG }, () => {
        server.off('error', reject);
        server.on('error', (error) => this.#tell(error));
        resolve();
      });
    });
    const bound = server.address();
    this.#port = typeof bound === 'object' && bound !== null ? bound.port : port;
    this.#listener = server;
    this.#listening = 'open';
  }

  #tell(error: Error): void {
    const code = codeOf(error) ?? error.message;
    if (this.#told.has(code)) return;
    this.#told.add(code);
    this.#onTrouble(`MMDS cannot accept connections: ${error.message}`);
  }

  async #stopListening(): Promise<void> {
    const listener = this.#listener;
    this.#listener = undefined;
    this.#listening = 'closed';
    // A server's close() ends the listening at once, and would wait for its connections.
    await listener?.close();
  }

  async #setPresent(present: boolean): Promise<void> {
    if (present === this.#present) return;
    if (this.#network.kind === 'loopback') throw new Error('no address vanishes on loopback');
    await setAddress(present ? 'add' : 'del', this.address, this.#network.device);
    this.#present = present;
  }
}

/**
 * Ports outside the range from which the kernel takes the local ports of clients: a client on
 * loopback could be given the very port that it connects to, and would connect to itself.
 */
function freePortCandidates(): number[] {
  const lowest = 10_240;
  const span = clientPortsFrom() - lowest;
  if (span < 1000) return [0];
  const ports = Array.from({ length: 32 }, () => lowest + Math.floor(Math.random() * span));
  return [...ports, 0];
}

function clientPortsFrom(): number {
  try {
    const range = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8');
    return Number.parseInt(range, 10);
  } catch {
    return 0;
  }
}

/** Another socket may hold the port for a moment, such as a client's own that was given it. */
async function retryWhileTaken<T>(listen: () => Promise<T>): Promise<T> {
  for (let left = LISTEN_TRIES; ; left--) {
    try {
      return await listen();
    } catch (thrown) {
      if (codeOf(thrown) !== 'EADDRINUSE' || left === 0) {
        throw new Error(`cannot listen again: ${messageOf(thrown)}`, { cause: thrown });
      }
    }
    await sleep(LISTEN_PAUSE_MS);
  }
}
