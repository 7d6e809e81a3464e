import type { Socket } from 'node:net';
import type { EventLog } from './event-log.js';
import type { Conduct } from './fault.js';
import type { Firecracker } from './firecracker.js';
import { HEAD_LIMIT, headEnd } from './request.js';

/** How many connections Firecracker serves at once on one interface (src/vmm/src/mmds/ns.rs). */
export const CONNECTION_LIMIT = 30;
/**
 * How long a connection must have been silent before a new one may evict it, in ms. Firecracker
 * counts 40,000,000,000 processor cycles, 10 s at 4 GHz (src/vmm/src/dumbo/tcp/endpoint.rs).
 */
export const EVICT_AFTER_MS = 10_000;
/** How often those that wait look for one to evict, in ms: a guest repeats its SYN about so often. */
const LOOK_AGAIN_MS = 1000;

/** Who closes a served connection first. `auto`: the agent, unless the fault says otherwise. */
export type Close = 'auto' | 'agent' | 'mmds';

/** What the service itself has counted since its start. */
export interface Counters {
  /** Connections that were accepted. */
  accepted: number;
  /** Complete requests, answered or not. */
  requests: number;
  /** Answers that were written. */
  answered: number;
  /** Connections that this side has reset, for whatever reason. */
  resets: number;
  /** Of these, the idle ones that made room for another. */
  evicted: number;
  /** Connections that had to wait for one of the 30 places. */
  waited: number;
}

/**
 * All accepted connections, and what the present conduct does to them. When the conduct changes,
 * whatever it held back is treated anew by the next one.
 *
 * The limit of 30 cannot be had faithfully in user space. Firecracker answers the SYN of a 31st with
 * a RST that Linux guests ignore (see faults/overload.ts), so that the attempt waits in SYN_SENT until
 * a place is free. Here the kernel has accepted the connection before this code sees it: it waits
 * in ESTABLISHED, unanswered, holding a port of the guest just the same; and it is served in its
 * turn, without the pause until the SYN is repeated. A waiting one that gives up is reset, so
 * that like a SYN given up it leaves no TIME_WAIT.
 */
export class Connections {
  readonly counters: Counters = {
    accepted: 0,
    requests: 0,
    answered: 0,
    resets: 0,
    evicted: 0,
    waited: 0,
  };
  readonly firecracker: Firecracker;
  readonly now: () => number;
  readonly #close: Close;
  readonly #evictAfterMs: number;
  readonly #open = new Set<Connection>();
  readonly #waiting = new Set<Connection>();
  #lookAgain: NodeJS.Timeout | undefined;
  conduct: Conduct;
  /** Whether this side closes a connection after an answer. */
  closing = false;
  /** Where everything is written down; undefined for not at all, which is what a storm can bear. */
  log: EventLog | undefined;

  /** @param now a monotonic clock, in ms */
  constructor(
    conduct: Conduct,
    firecracker: Firecracker,
    close: Close,
    now: () => number,
    evictAfterMs = EVICT_AFTER_MS,
  ) {
    this.conduct = conduct;
    this.firecracker = firecracker;
    this.#close = close;
    this.now = now;
    this.#evictAfterMs = evictAfterMs;
    this.follow(conduct);
  }

  /** Connections that are open, those that wait for a place included. */
  get open(): number {
    return this.#open.size + this.#waiting.size;
  }

  /** Takes a socket that was accepted just now. It must have been made with `allowHalfOpen`. */
  accept(socket: Socket): void {
    this.counters.accepted++;
    if (this.conduct.connection === 'reset') {
      this.counters.resets++;
      socket.on('error', ignore);
      socket.resetAndDestroy();
      return;
    }
    const connection = new Connection(socket, this);
    if (this.#hasRoom() || this.#evict()) {
      this.#open.add(connection);
    } else {
      this.counters.waited++;
      connection.waiting = true;
      this.#waiting.add(connection);
      this.#lookAgain ??= setInterval(() => this.#admit(), LOOK_AGAIN_MS).unref();
    }
    this.log?.connection('opened', this.open);
  }

  /** Goes over to another conduct. */
  follow(conduct: Conduct): void {
    this.conduct = conduct;
    this.closing = this.#close === 'mmds' || (this.#close === 'auto' && conduct.closesFirst);
    // A server that is gone takes its connections with it; one that resets does so to all.
    if (conduct.reach === 'closed' || conduct.connection === 'reset') this.resetAll();
    this.#admit();
    for (const connection of [...this.#open]) connection.reconsider();
  }

  /** Resets every connection. */
  resetAll(): void {
    const all = [...this.#waiting, ...this.#open];
    this.#waiting.clear();
    for (const connection of all) connection.reset();
  }

  /** Called by a connection whose socket is closed. */
  forget(connection: Connection): void {
    this.#waiting.delete(connection);
    const hadPlace = this.#open.delete(connection);
    this.log?.connection('closed', this.open);
    if (hadPlace && this.#waiting.size > 0) this.#admit();
  }

  #hasRoom(): boolean {
    return !this.conduct.limited || this.#open.size < CONNECTION_LIMIT;
  }

  #admit(): void {
    for (const connection of this.#waiting) {
      if (!this.#hasRoom() && !this.#evict()) return;
      this.#waiting.delete(connection);
      this.#open.add(connection);
      connection.waiting = false;
      connection.reconsider();
    }
    clearInterval(this.#lookAgain);
    this.#lookAgain = undefined;
  }

  /** Resets one connection that has been silent for long; false if there is none. */
  #evict(): boolean {
    const silentSince = this.now() - this.#evictAfterMs;
    for (const connection of this.#open) {
      if (connection.heardAt >= silentSince) continue;
      this.counters.evicted++;
      this.#open.delete(connection);
      connection.reset();
      return true;
    }
    return false;
  }
}

/** One accepted connection: finds the requests in its bytes and answers them one by one. */
class Connection {
  readonly #socket: Socket;
  readonly #all: Connections;
  /** Received and not yet looked at, one character a byte. */
  #bytes = '';
  /** The request that is being held back. */
  #held: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #draining = false;
  #ended = false;
  /** When the last bytes came, in ms of the clock. */
  heardAt: number;
  /** Whether it has none of the 30 places yet. */
  waiting = false;

  constructor(socket: Socket, all: Connections) {
    this.#socket = socket;
    this.#all = all;
    this.heardAt = all.now();
    socket.on('data', (chunk) => this.#receive(chunk));
    socket.on('end', () => this.#end());
    socket.on('error', ignore);
    socket.on('close', () => this.#closed());
  }

  reset(): void {
    if (this.#socket.destroyed) return;
    clearTimeout(this.#timer);
    this.#all.counters.resets++;
    this.#socket.resetAndDestroy();
  }

  /** Treats what was held back by the present conduct. */
  reconsider(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) this.#handle(held);
    this.#process();
  }

  #receive(chunk: Buffer): void {
    this.heardAt = this.#all.now();
    this.#bytes =
      this.#bytes === '' ? chunk.toString('latin1') : this.#bytes + chunk.toString('latin1');
    this.#process();
    // Nobody takes these bytes for now: leave what follows with the kernel.
    if (this.#bytes.length >= HEAD_LIMIT) this.#socket.pause();
  }

  #end(): void {
    this.#ended = true;
    if (this.waiting) this.reset();
    else this.#process();
  }

  #closed(): void {
    clearTimeout(this.#timer);
    this.#held = undefined;
    this.#all.forget(this);
  }

  #isBusy(): boolean {
    return this.waiting || this.#held !== undefined || this.#draining || this.#socket.destroyed;
  }

  #process(): void {
    while (!this.#isBusy()) {
      const end = headEnd(this.#bytes);
      if (end > HEAD_LIMIT || (end === -1 && this.#bytes.length >= HEAD_LIMIT)) {
        this.reset();
        return;
      }
      if (end === -1) break;
      const head = this.#bytes.slice(0, end);
      this.#bytes = this.#bytes.slice(end);
      this.#all.counters.requests++;
      this.#all.log?.asked(head, this.#all.open);
      this.#handle(head);
    }
    if (this.#socket.destroyed) return;
    if (this.#ended) this.#finish();
    else if (this.#socket.isPaused() && this.#bytes.length < HEAD_LIMIT) this.#socket.resume();
  }

  /** Like Firecracker: closes when the client has, and has its answer. */
  #finish(): void {
    const pending = this.#isBusy() && this.#all.conduct.connection !== 'ignore';
    if (!pending) this.#close();
  }

  /**
   * Closes with a FIN. Not end(): it sends the FIN a turn of the event loop after the answer, when a
   * quick client has closed already, and waits for ever for one that never closes.
   */
  #close(): void {
    // destroy() drops what is not written yet, which is rare: the kernel takes an answer at once.
    if (this.#socket.writableLength === 0) this.#socket.destroy();
    else this.#socket.destroySoon();
  }

  #handle(head: string): void {
    const { connection, delayMs } = this.#all.conduct;
    if (connection === 'serve' && delayMs === 0) {
      this.#answer(head);
      return;
    }
    this.#held = head;
    if (connection === 'serve') {
      // However late it arrives, an answer is that of the moment of its request: metadata that is
      // replaced meanwhile does not reach an answer that is under way.
      const bytes = this.#encode(head);
      this.#timer = setTimeout(() => {
        this.#held = undefined;
        this.#send(head, bytes);
        this.#process();
      }, delayMs);
    }
  }

  #answer(head: string): void {
    this.#send(head, this.#encode(head));
  }

  #encode(head: string): Buffer {
    const { conduct, firecracker, closing } = this.#all;
    return conduct.answer(head, firecracker, closing);
  }

  #send(head: string, bytes: Buffer): void {
    const { closing, counters, log } = this.#all;
    counters.answered++;
    log?.answered(head, bytes, this.#all.open);
    if (closing) {
      this.#bytes = '';
      this.#draining = true;
      this.#socket.write(bytes);
      this.#close();
    } else if (!this.#socket.write(bytes)) {
      // The next answer waits until the client has taken this one, which bounds the memory.
      this.#draining = true;
      this.#socket.once('drain', () => {
        this.#draining = false;
        this.#process();
      });
    }
  }
}

/** A client that goes away is its own affair; `close` follows every error. */
function ignore(): void {}
