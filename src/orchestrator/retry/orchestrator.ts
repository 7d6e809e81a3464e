import type { RetryPolicy } from './policy.js';

/**
 * The orchestrator's own loop (packages/orchestrator/pkg/sandbox/envd.go,
 * doRequestWithInfiniteRetries): after a timeout or a transport error a pause, then the next; the
 * first HTTP answer of any status ends it, and so does the budget of the episode.
 */
export const orchestrator: RetryPolicy = {
  name: 'orchestrator',
  summary: 'the real loop: 50 ms each, 5 ms pause, the first HTTP answer ends it, 10 s in all',
  initTimeoutMs: 50,
  loop: 'closed',
  next({ sent, elapsedMs, last }, { outageMs, retryPauseMs, retryBudgetMs }) {
    if (sent === 0) return 0;
    if (last?.outcome === 'answered') return null;
    const dueMs = elapsedMs + retryPauseMs;
    return dueMs < Math.min(outageMs, retryBudgetMs) ? dueMs : null;
  },
};
