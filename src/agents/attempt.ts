import { connect, type Socket } from 'node:net';
import type { Counters } from './counters.js';
import { type HttpResponse, HttpResponseReader } from './http-response.js';

/** Where MMDS is, as the agent sees it. */
export interface MmdsAddress {
  host: string;
  port: number;
}

/** What became of an attempt: the answer, or undefined when there was none. */
export type AttemptDone = (response: HttpResponse | undefined) => void;

/** The client timeout of one request, connection and body included (envd internal/host/mmds.go). */
export const REQUEST_TIMEOUT_MS = 10_000;

/** Where every answer arrives first: it is copied out before the next one is read. */
const arrivals = Buffer.allocUnsafe(64 << 10);

/**
 * How a connection is made. No address-family racing: it is one IPv4 address, and racing costs a
 * third of the rate. Read into one buffer, where Node would make one of 64 KiB for every piece. Half
 * open, so that only this file says when it is closed.
 *
 * The last three are what net.Socket sets itself, and are here because it copies what it is given and
 * then adds them: V8 before 12 (Node 20) gives every object that grows after it was copied a hidden
 * class of its own, and whatever reads it is slow: 20 µs, as much as all else of an attempt.
 */
const connectOptions = ({ host, port }: MmdsAddress, onPiece: (length: number) => boolean) => ({
  host,
  port,
  family: 4,
  autoSelectFamily: false,
  onread: { buffer: arrivals, callback: onPiece },
  allowHalfOpen: true,
  emitClose: false,
  autoDestroy: true,
  decodeStrings: false,
});

/**
 * One request to MMDS on a TCP connection of its own (keep-alive off, as envd's poller has it), and
 * the count of what became of it.
 *
 * `node:net` and no HTTP library: with `node:http` the attempts per second of one core fall by half,
 * and the storm would be limited by the tool.
 */
export class Attempt {
  private readonly socket: Socket;
  private readonly timer: NodeJS.Timeout;
  private reader: HttpResponseReader | undefined;
  private response: HttpResponse | undefined;
  private outcome: keyof Counters | undefined;

  constructor(
    mmds: MmdsAddress,
    request: string,
    private readonly counters: Counters,
    private readonly done: AttemptDone,
  ) {
    counters.attempts++;
    const options = connectOptions(mmds, (length) => this.read(length));
    const socket = connect(options);
    this.socket = socket;
    this.timer = setTimeout(() => this.stop('timedOut'), REQUEST_TIMEOUT_MS);
    socket.on('connect', () => socket.write(request, 'latin1'));
    socket.on('end', () => this.finish(this.reader?.end()));
    socket.on('error', (error: NodeJS.ErrnoException) => this.fail(error.code));
    // Only now is the port free again (or in TIME_WAIT), so that a poller never holds two.
    socket.on('close', () => this.close());
  }

  /** Gives up, as when the poller's context is cancelled. */
  cancel(): void {
    this.stop('cancelled');
  }

  private stop(outcome: 'timedOut' | 'cancelled'): void {
    this.outcome ??= outcome;
    this.socket.destroy();
  }

  /** @returns whether to go on reading */
  private read(length: number): boolean {
    this.reader ??= new HttpResponseReader();
    try {
      const response = this.reader.push(Buffer.from(arrivals.subarray(0, length)));
      if (response) this.finish(response);
    } catch {
      this.outcome ??= 'failedOtherwise';
      this.socket.destroy();
    }
    return !this.socket.destroyed;
  }

  /** The answer is whole: the agent closes the connection, so TIME_WAIT stays on its side. */
  private finish(response: HttpResponse | undefined): void {
    this.response = response;
    this.outcome ??= response ? 'answered' : 'failedOtherwise';
    this.socket.destroy();
  }

  private fail(code: string | undefined): void {
    if (code === 'ECONNREFUSED') this.outcome ??= 'refused';
    else if (code === 'ECONNRESET' || code === 'EPIPE') this.outcome ??= 'reset';
    else if (code === 'EADDRNOTAVAIL') this.outcome ??= 'localFailures';
    else if (code === 'EMFILE' || code === 'ENFILE') {
      // No socket was made, so nothing was attempted.
      this.counters.attempts--;
      this.outcome ??= 'descriptorFailures';
    } else this.outcome ??= 'failedOtherwise';
  }

  private close(): void {
    clearTimeout(this.timer);
    this.counters[this.outcome ?? 'failedOtherwise']++;
    this.done(this.outcome === 'answered' ? this.response : undefined);
  }
}
