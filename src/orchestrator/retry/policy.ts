/** What a retry policy is told of the past: times in ms since the first `/init` was due. */
export interface RetryState {
  /** `/init`s sent so far. */
  sent: number;
  /** Now. */
  elapsedMs: number;
  /** What became of the last one; undefined before the first, or when nobody waited for it. */
  last?: { outcome: 'answered' | 'timedOut' | 'failed' };
}

export interface RetryTimes {
  intervalMs: number;
  outageMs: number;
  retryPauseMs: number;
  retryBudgetMs: number;
}

/** How the orchestrator repeats `/init`: a pure question, with no clock in it. */
export interface RetryPolicy {
  name: string;
  /** One line for the help. */
  summary: string;
  /** The timeout of one `/init` where none is given, ms. */
  initTimeoutMs: number;
  /** Whether the next `/init` waits for what became of the last one. */
  loop: 'open' | 'closed';
  /** When the next `/init` is due, ms since the first was; null when there is no other. */
  next(state: RetryState, times: RetryTimes): number | null;
}
