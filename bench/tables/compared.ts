import { messageOf } from '../../src/base/errors.js';
import type { Effort } from '../table.js';

/** Something to measure, or the reason why it cannot be had here. */
export interface Candidate<Output> {
  label: string;
  /** Measures it once; a string says why that cannot be. */
  once: (() => Promise<Output>) | string;
}

/** What came of a candidate: one output a repeat, or why there is none. */
export type Outcome<Output> = Output[] | string;

/**
 * Measures candidates in turn (A B A B), so that what else goes on in the machine meets them alike. One
 * that fails has a reason in its row; the others go on.
 */
export async function inTurn<Output>(
  candidates: readonly Candidate<Output>[],
  { repeats }: Effort,
  say: (what: string) => void,
): Promise<Map<string, Outcome<Output>>> {
  const outcomes = new Map<string, Outcome<Output>>(
    candidates.map(({ label, once }) => [label, typeof once === 'string' ? once : []]),
  );
  for (let repeat = 1; repeat <= repeats; repeat++) {
    for (const { label, once } of candidates) {
      const outcome = outcomes.get(label);
      if (typeof once === 'string' || !Array.isArray(outcome)) continue;
      say(`${label}, ${repeat} of ${repeats}`);
      try {
        outcome.push(await once());
      } catch (thrown) {
        outcomes.set(label, `failed: ${messageOf(thrown)}`);
      }
    }
  }
  return outcomes;
}
