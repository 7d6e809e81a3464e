/** One look at an agent's ports and rates; null is what could not be measured. */
export interface PortLook {
  tMs: number;
  portsInUse: number | null;
  timeWait: number | null;
  localFailures: number | null;
  connectionsPerSecond: number | null;
  pollers: number | null;
  /**
   * Attempts/s of one poller under the fault that holds; null where a poller waits for answers or
   * ends with one, so that no rate is asked for.
   */
  demandPerPoller: number | null;
}

/** The rate is over the last second; until two are over it lags behind the demand by itself, ms. */
const LAG_MS = 2_000;

/**
 * Watches for the moment at which the ephemeral ports are exhausted (every one is held, or an attempt
 * died of EADDRNOTAVAIL), and for the knee: attempts/s below half of what the pollers demand while
 * TIME_WAIT grows.
 */
export class PortWatch {
  peak: number | null = null;
  timeWaitPeak: number | null = null;
  exhaustedAtMs: number | null = null;
  kneeAtMs: number | null = null;
  private timeWaitBefore = 0;
  private demand: number | null | undefined;
  private demandSinceMs = 0;

  constructor(private readonly capacity: number | null) {}

  push(look: PortLook): void {
    const { tMs, portsInUse, timeWait } = look;
    if (portsInUse !== null) this.peak = Math.max(this.peak ?? 0, portsInUse);
    if (timeWait !== null) this.timeWaitPeak = Math.max(this.timeWaitPeak ?? 0, timeWait);
    const isFull = this.capacity !== null && portsInUse !== null && portsInUse >= this.capacity;
    if (isFull || (look.localFailures ?? 0) > 0) this.exhaustedAtMs ??= tMs;
    if (this.isKnee(look)) this.kneeAtMs ??= tMs;
    this.timeWaitBefore = timeWait ?? this.timeWaitBefore;
  }

  private isKnee(look: PortLook): boolean {
    const { tMs, timeWait, pollers, connectionsPerSecond, demandPerPoller } = look;
    if (demandPerPoller !== this.demand) {
      this.demandSinceMs = this.demand === undefined ? 0 : tMs;
      this.demand = demandPerPoller;
    }
    if (tMs - this.demandSinceMs < LAG_MS || demandPerPoller === null) return false;
    if (!timeWait || !pollers || connectionsPerSecond === null) return false;
    const grows = timeWait > this.timeWaitBefore;
    return grows && connectionsPerSecond < (pollers * demandPerPoller) / 2;
  }
}
