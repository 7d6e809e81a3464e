import { monotonicMs } from '../base/clock.js';

/** One thing that the service saw or did. */
export interface MmdsEvent {
  /** When, on the machine's monotonic clock, ms. */
  atMs: number;
  kind: 'opened' | 'asked' | 'answered' | 'closed';
  /** Connections that were open right after it. */
  open: number;
  /** Method and path of the request; empty for a connection. */
  request: string;
  /** The status of the answer; 0 for anything else. */
  status: number;
  /** The beginning of the answer's body. */
  body: string;
}

/** As much of a body as tells one answer from another, characters. */
const BODY = 512;
const HEAD_END = '\r\n\r\n';

/** How often what was logged is handed on, ms. */
const FLUSH_EVERY_MS = 20;

/**
 * Writes down what the service sees and answers, and hands it on in batches. For scenarios that
 * look at single polls; a storm is counted, not logged.
 */
export class EventLog {
  private pending: MmdsEvent[] = [];
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly onEvents: (events: MmdsEvent[]) => void) {
    this.timer = setInterval(() => this.flush(), FLUSH_EVERY_MS).unref();
  }

  connection(kind: 'opened' | 'closed', open: number): void {
    this.add({ kind, open, request: '', status: 0, body: '' });
  }

  /** @param head the request's head (latin1) */
  asked(head: string, open: number): void {
    this.add({ kind: 'asked', open, request: lineOf(head), status: 0, body: '' });
  }

  /** @param answer as it goes over the wire */
  answered(head: string, answer: Buffer, open: number): void {
    const text = answer.toString('utf8');
    const bodyAt = text.indexOf(HEAD_END) + HEAD_END.length;
    this.add({
      kind: 'answered',
      open,
      request: lineOf(head),
      status: Number(text.slice(9, 12)) || 0,
      body: text.slice(bodyAt, bodyAt + BODY),
    });
  }

  /** Hands on what is pending. */
  flush(): void {
    if (this.pending.length === 0) return;
    const events = this.pending;
    this.pending = [];
    this.onEvents(events);
  }

  /** Hands on the rest; nothing is logged any more. */
  end(): void {
    clearInterval(this.timer);
    this.flush();
  }

  private add(event: Omit<MmdsEvent, 'atMs'>): void {
    this.pending.push({ atMs: monotonicMs(), ...event });
  }
}

/** Method and path of a request head. */
function lineOf(head: string): string {
  return head.slice(0, Math.max(0, head.indexOf(' HTTP/'))).slice(0, 128);
}
