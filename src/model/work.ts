import { LIFETIME_MS } from './facts.js';

/** As many pollers at once, and `/init`s in all, as are worth simulating: seconds, and some GiB. */
const MOST_PILE = 1_000_000;
const MOST_INITS = 10_000_000;
/** Longer than any outage that is planned for: nothing changes after two minutes. */
const LONGEST_OUTAGE_MS = 24 * 3600e3;

/** As many events as a simulation may take: half a minute. The storm of the issue takes a million. */
export const MOST_EVENTS = 50_000_000;

/**
 * Why a sandbox is not worth simulating, or undefined where it is: a result that was written by hand
 * can ask for more work than anybody waits for.
 */
export function workObstacle({
  intervalMs,
  outageMs,
  retry,
  initTimeoutMs,
  retryPauseMs,
}: {
  intervalMs: number;
  outageMs: number;
  retry: 'fixed' | 'orchestrator';
  initTimeoutMs: number;
  retryPauseMs: number | null;
}): string | undefined {
  if (!(outageMs <= LONGEST_OUTAGE_MS)) return 'the outage is longer than 24h';
  if (retry === 'orchestrator') {
    const loops = outageMs / (initTimeoutMs + (retryPauseMs ?? 0));
    return loops <= MOST_INITS ? undefined : `the loop makes more than ${MOST_INITS} /init`;
  }
  if (!(Math.min(outageMs, LIFETIME_MS) / intervalMs <= MOST_PILE)) {
    return `the interval makes more than ${MOST_PILE} pollers`;
  }
  if (!(outageMs / intervalMs <= MOST_INITS)) {
    return `the interval and the outage make more than ${MOST_INITS} /init`;
  }
  return undefined;
}
