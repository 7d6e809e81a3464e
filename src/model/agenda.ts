import { UsageError } from '../base/errors.js';
import { MOST_EVENTS } from './work.js';

/** What happens at one instant, in this order; what falls on the end of a span is outside it. */
export enum Rank {
  /** A reading sees what was before it. */
  sample,
  /** MMDS changes its conduct. */
  fault,
  /** A poller's lifetime is over. */
  deadline,
  init,
  /** An attempt is answered or given up. */
  outcome,
  tick,
}

interface Entry {
  at: number;
  rank: Rank;
  act: () => void;
}

/**
 * What is going to happen, in order. Nearly everything comes a fixed time after something else (the
 * next tick, the timeout, the deadline), so entries with one delay are in order by themselves: a
 * queue for each delay costs O(1), where a heap alone would cost more than the rest of the model.
 */
export class Agenda {
  /** The present instant, whole ns. */
  now = 0;
  readonly #queues = new Map<number, Queue>();
  readonly #heap: Entry[] = [];

  /** After a delay that is the same for many entries, whole ns. */
  after(delay: number, rank: Rank, act: () => void): void {
    const key = delay * 8 + rank;
    let queue = this.#queues.get(key);
    if (!queue) {
      queue = new Queue();
      this.#queues.set(key, queue);
    }
    queue.push({ at: this.now + delay, rank, act });
  }

  /** At an instant of its own, whole ns. */
  at(at: number, rank: Rank, act: () => void): void {
    const heap = this.#heap;
    const entry = { at, rank, act };
    let i = heap.length;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      const above = heap[parent];
      if (!above || !isBefore(entry, above)) break;
      heap[i] = above;
      i = parent;
    }
    heap[i] = entry;
  }

  /**
   * Does all that comes before `end`, and stops there.
   * @throws UsageError when that is more than anybody waits for
   */
  runUntil(end: number): void {
    for (let events = 0; ; events++) {
      if (events > MOST_EVENTS) {
        throw new UsageError(
          `the simulation takes more than ${MOST_EVENTS} events`,
          'Give a longer interval, init timeout or pause, or a shorter outage',
        );
      }
      let first = this.#heap[0];
      let from: Queue | undefined;
      for (const queue of this.#queues.values()) {
        const head = queue.head;
        if (head && (!first || isBefore(head, first))) {
          first = head;
          from = queue;
        }
      }
      if (!first || first.at >= end) break;
      if (from) from.shift();
      else this.#shiftHeap();
      this.now = first.at;
      first.act();
    }
    this.now = end;
  }

  #shiftHeap(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      const left = heap[child];
      const right = heap[child + 1];
      if (!left) break;
      if (right && isBefore(right, left)) child++;
      const least = heap[child];
      if (!least || !isBefore(least, last)) break;
      heap[i] = least;
      i = child;
    }
    heap[i] = last;
  }
}

function isBefore(one: Entry, other: Entry): boolean {
  return one.at < other.at || (one.at === other.at && one.rank < other.rank);
}

/** First in, first out, without moving what is left. */
class Queue {
  #entries: Entry[] = [];
  #from = 0;

  get head(): Entry | undefined {
    return this.#entries[this.#from];
  }

  push(entry: Entry): void {
    this.#entries.push(entry);
  }

  shift(): void {
    this.#from++;
    if (this.#from > 1024 && this.#from * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#from);
      this.#from = 0;
    }
  }
}
