import { cleanText } from '../base/text.js';
import type { TimelineEntry } from '../results/verify.js';

/** The most lines of a time line, and how many of them are kept from its beginning. */
const MOST_LINES = 120;
const FIRST_LINES = 30;

/** The most events that are kept while a scenario runs: a real minute of a few pollers. */
const MOST_EVENTS = 100_000;

interface TimelineEvent {
  atMs: number;
  kind: TimelineEntry['kind'];
  text: string;
}

/** The evidence of one scenario, as it happened. */
export class Timeline {
  private readonly events: TimelineEvent[] = [];
  private passedOver = 0;

  /** @param originMs when its time begins, on the monotonic clock */
  constructor(private readonly originMs: number) {}

  /** @param atMs on the monotonic clock; what is told late is put where it belongs */
  add(atMs: number, kind: TimelineEntry['kind'], text: string): void {
    if (this.events.length < MOST_EVENTS) this.events.push({ atMs, kind, text });
    else this.passedOver++;
  }

  /** The lines in order of time: what repeats itself between two other steps is one line. */
  lines(): TimelineEntry[] {
    const entries: TimelineEntry[] = [];
    let group = new Map<string, TimelineEntry>();
    const ordered = [...this.events].sort((a, b) => a.atMs - b.atMs);
    for (const { atMs, kind, text } of ordered) {
      const sinceMs = Math.max(0, atMs - this.originMs);
      // A step of the scenario, and a new identity, part what came before from what comes after.
      if (kind === 'step' || kind === 'identity') group = new Map();
      const known = group.get(`${kind} ${text}`);
      if (known) {
        known.count++;
        known.untilMs = sinceMs;
        continue;
      }
      const entry = { atMs: sinceMs, untilMs: sinceMs, count: 1, kind, text: cleanText(text, 300) };
      group.set(`${kind} ${text}`, entry);
      entries.push(entry);
    }
    return this.shortened(entries);
  }

  /** The failure is at the end, and what led to it at the beginning: the middle gives way. */
  private shortened(entries: TimelineEntry[]): TimelineEntry[] {
    const left = entries.length - MOST_LINES;
    if (left <= 0 && this.passedOver === 0) return entries;
    const head = entries.slice(0, FIRST_LINES);
    const tail = entries.slice(FIRST_LINES + Math.max(0, left));
    const gone = Math.max(0, left) + this.passedOver;
    const at = head.at(-1)?.untilMs ?? 0;
    const gap: TimelineEntry = {
      atMs: at,
      untilMs: at,
      count: 1,
      kind: 'step',
      text: `(${gone} more left out)`,
    };
    return [...head, gap, ...tail];
  }
}
