import { beginsWithin } from '../../base/duration.js';
import type { RetryPolicy } from './policy.js';

/** One `/init` at every interval through the outage, whatever is answered: what the issue assumes. */
export const fixed: RetryPolicy = {
  name: 'fixed',
  summary: 'one /init at every interval through the outage, whatever is answered (the issue)',
  initTimeoutMs: 10_000,
  loop: 'open',
  next({ sent }, { intervalMs, outageMs }) {
    return sent < beginsWithin(outageMs, intervalMs) ? sent * intervalMs : null;
  },
};
