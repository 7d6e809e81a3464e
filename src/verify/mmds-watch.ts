import { monotonicMs } from '../base/clock.js';
import type { MmdsEvent } from '../mmds/event-log.js';
import type { Timeline } from './timeline.js';

const TOKEN_REQUEST = 'PUT /latest/api/token';

/** What MMDS saw of an agent: its polls, and under `hang` its pollers. */
export class MmdsWatch {
  /** Connections that are open now. Under `hang` every poller holds exactly one. */
  open = 0;
  /** Session tokens asked for since {@link restart}: every poll begins with one. */
  polls = 0;
  /** When the last request arrived, on the monotonic clock; -Infinity for none. */
  lastAskedMs = Number.NEGATIVE_INFINITY;
  /** Requests for metadata that arrived since {@link restart}. */
  metadataAsked = 0;
  /** Answers since {@link restart}. */
  private answers: MmdsEvent[] = [];
  /** How many connections were open from when on, since {@link restart}. */
  private levels: { atMs: number; open: number }[] = [];

  constructor(private readonly timeline: Timeline) {}

  /** Counts from now on. */
  restart(): void {
    this.levels = [{ atMs: monotonicMs(), open: this.open }];
    this.polls = 0;
    this.metadataAsked = 0;
    this.answers = [];
  }

  take(events: readonly MmdsEvent[]): void {
    for (const event of events) {
      this.open = event.open;
      if (this.levels.at(-1)?.open !== event.open) this.levels.push(event);
      if (event.kind === 'asked') this.takeRequest(event);
      else if (event.kind === 'answered') this.takeAnswer(event);
    }
  }

  /**
   * The most connections that were open together for at least `heldMs`, up to now. Where one poller
   * gives a connection up and opens the next, two are open for a moment; two pollers hold two.
   */
  mostHeld(heldMs: number): number {
    const nowMs = monotonicMs();
    let most = 0;
    for (const [i, { atMs, open }] of this.levels.entries()) {
      if (atMs + heldMs > nowMs) break;
      let least = open;
      for (let j = i + 1; least > most; j++) {
        const next = this.levels[j];
        if (!next || next.atMs >= atMs + heldMs) break;
        least = Math.min(least, next.open);
      }
      most = Math.max(most, least);
    }
    return most;
  }

  /** The first answer since {@link restart} that `matches`. */
  answer(matches: (event: MmdsEvent) => boolean): MmdsEvent | undefined {
    return this.answers.find(matches);
  }

  private takeRequest(event: MmdsEvent): void {
    const isToken = event.request === TOKEN_REQUEST;
    if (isToken) this.polls++;
    else this.metadataAsked++;
    this.lastAskedMs = event.atMs;
    this.timeline.add(event.atMs, 'poll', isToken ? 'asks for a session token' : event.request);
  }

  private takeAnswer(event: MmdsEvent): void {
    // Of a storm's answers only the first are of interest to anybody.
    if (this.answers.length < 1_000) this.answers.push(event);
    const isToken = event.request === TOKEN_REQUEST && event.status === 200 && event.body !== '';
    const body = isToken ? 'a session token' : event.body.trim() || 'nothing';
    this.timeline.add(event.atMs, 'answer', `${event.status} ${identityIn(event.body) ?? body}`);
  }
}

/** The identity in a metadata answer, in the words that identity lines have. */
function identityIn(body: string): string | undefined {
  try {
    const { instanceID, envID } = JSON.parse(body) as Record<string, unknown>;
    return typeof instanceID === 'string' ? `${instanceID}, ${envID}` : undefined;
  } catch {
    return undefined;
  }
}

/** Whether an answer carried that sandbox's metadata. */
export function carries(sandboxId: string): (event: MmdsEvent) => boolean {
  return ({ request, body }) => request === 'GET /' && body.includes(JSON.stringify(sandboxId));
}
