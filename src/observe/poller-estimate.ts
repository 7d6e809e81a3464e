/** What a fault makes of a poller that cannot be looked into. */
export type PollerSign =
  /** It has one attempt outstanding (hang, blackhole): those are the pollers. */
  | { kind: 'outstanding' }
  /** It makes so many attempts/s: the rate tells how many there are. */
  | { kind: 'rate'; perPoller: number }
  /** Nothing that could be counted. */
  | { kind: 'none' };

/**
 * Estimates from the kernel's counters how many pollers an agent has.
 * @returns null where the fault leaves no sign of them, or nothing was measured
 */
export function estimatePollers(
  sign: PollerSign,
  outstanding: number | null,
  connectionsPerSecond: number | null,
): number | null {
  if (sign.kind === 'outstanding') return outstanding;
  if (sign.kind === 'none' || connectionsPerSecond === null || sign.perPoller === 0) return null;
  return Math.round(connectionsPerSecond / sign.perPoller);
}
