import { type Agenda, Rank } from './agenda.js';
import type { Attempts, Caller, Flight } from './attempts.js';
import { type Conduct, wholeNs } from './conduct.js';
import { initCount } from './discrete.js';

/** How `/init` is driven, and whether it waits for MMDS. */
export interface InitRules {
  retry: 'fixed' | 'orchestrator';
  intervalMs: number;
  outageMs: number;
  initTimeoutMs: number;
  /** Of the orchestrator's loop. */
  retryPauseMs: number;
  retryBudgetMs: number;
  auth: 'stored' | 'mmds';
}

/** One `/init` under way. */
interface Init {
  sentAt: number;
  isGone: boolean;
  isOver: boolean;
  /** What it does when its caller goes away while it asks MMDS. */
  abandon: (() => void) | undefined;
}

/**
 * The driver and the agent's handling of `/init` (src/orchestrator, src/agents/reference-agent.ts):
 * the access token is stored already, or its hash is asked of MMDS in two tries, behind a lock.
 */
export class Inits {
  sent = 0;
  answered = 0;
  timedOut = 0;
  /** The longest answer, ms; null when there was none. */
  longestMs: number | null = null;
  #isTokenStored: boolean;
  #isLocked = false;
  #waiting: Init[] = [];

  /** @param onAccept told of every `/init` that was accepted */
  constructor(
    private readonly agenda: Agenda,
    private readonly attempts: Attempts,
    private readonly rules: InitRules,
    private readonly onAccept: () => void,
  ) {
    this.#isTokenStored = rules.auth === 'stored';
  }

  start(): void {
    const { retry, intervalMs, outageMs } = this.rules;
    if (retry === 'orchestrator') {
      this.agenda.at(0, Rank.init, () => this.#send());
      return;
    }
    const interval = wholeNs(intervalMs);
    let left = initCount(intervalMs, outageMs);
    const next = () => {
      if (--left > 0) this.agenda.after(interval, Rank.init, next);
      this.#send();
    };
    this.agenda.at(0, Rank.init, next);
  }

  #send(): void {
    this.sent++;
    const init: Init = {
      sentAt: this.agenda.now,
      isGone: false,
      isOver: false,
      abandon: undefined,
    };
    if (!this.#isTokenStored) {
      const timeout = wholeNs(this.rules.initTimeoutMs);
      this.agenda.after(timeout, Rank.outcome, () => this.#onTimeout(init));
    }
    this.#waiting.push(init);
    this.#enter();
  }

  /** Lets those in that wait for the lock, one after another. */
  #enter(): void {
    while (!this.#isLocked) {
      const init = this.#waiting.shift();
      if (!init) return;
      if (init.isGone) continue;
      if (this.#isTokenStored) this.#answer(init, true);
      else {
        this.#isLocked = true;
        this.#check(init);
      }
    }
  }

  #check(init: Init): void {
    const finish = (found: Conduct['metadata']) => {
      if (init.isOver) return;
      this.#isLocked = false;
      // Only the metadata have the hash of the new token; without them it is refused.
      if (found === 'full') this.#isTokenStored = true;
      this.#answer(init, found === 'full');
      this.#enter();
    };
    this.#ask(init, (found) => {
      if (found !== 'none' || init.isGone) finish(found);
      else this.#ask(init, finish);
    });
  }

  /** One try: session token, then metadata. */
  #ask(init: Init, then: (found: Conduct['metadata']) => void): void {
    const caller: Caller = { live: 1, flight: null };
    init.abandon = () => {
      caller.live = 0;
      this.attempts.lose(caller);
      then('none');
    };
    const request = (next: (answer: Conduct | null) => void) => this.#request(caller, next);
    request((token) => {
      if (!token?.givesToken) then('none');
      else request((metadata) => then(metadata?.metadata ?? 'none'));
    });
  }

  #request(caller: Caller, then: Flight['then']): void {
    const { attempts } = this;
    if (attempts.findPorts(1) === 1) attempts.begin(caller, then);
    else then(null);
  }

  #answer(init: Init, isAccepted: boolean): void {
    init.isOver = true;
    if (isAccepted) this.onAccept();
    if (init.isGone) return;
    this.answered++;
    const tookMs = (this.agenda.now - init.sentAt) / 1e6;
    this.longestMs = Math.max(this.longestMs ?? 0, tookMs);
  }

  #onTimeout(init: Init): void {
    if (init.isOver) return;
    this.timedOut++;
    init.isGone = true;
    init.abandon?.();
    if (this.rules.retry === 'orchestrator') this.#sendAgain();
  }

  #sendAgain(): void {
    const { outageMs, retryPauseMs, retryBudgetMs } = this.rules;
    const dueAt = this.agenda.now + wholeNs(retryPauseMs);
    if (dueAt >= wholeNs(Math.min(outageMs, retryBudgetMs))) return;
    this.agenda.at(dueAt, Rank.init, () => this.#send());
  }
}
