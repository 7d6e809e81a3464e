import { EXIT } from '../base/errors.js';
import type { RunSignals } from '../experiment/run.js';

const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** How long the end may take after the second signal: lanes are killed, and what there is is saved, ms. */
const GONE_WITHIN_MS = 2_000;

/** The signals of a run: the first ends it with a partial result, the second at once. */
export class Interrupts implements RunSignals {
  private readonly interrupting = new AbortController();
  private readonly killing = new AbortController();
  readonly interrupt = this.interrupting.signal;
  readonly kill = this.killing.signal;

  /** @param onFirst told about the first signal, so that a person sees that it was heard */
  constructor(onFirst: () => void) {
    for (const name of ENDING) {
      process.on(name, () => {
        if (this.interrupt.aborted) {
          this.killing.abort();
          // Output that nobody reads (a pager that stands still) would hold the process for ever.
          setTimeout(() => process.exit(EXIT.interrupted), GONE_WITHIN_MS).unref();
        } else {
          this.interrupting.abort();
          onFirst();
        }
      });
    }
  }
}
