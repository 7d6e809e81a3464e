/** One look at an agent's ports and rates; null is what could not be measured. */
export interface PortLook {
  tMs: number;
  portsInUse: number | null;
  timeWait: number | null;
  localFailures: number | null;
  connectionsPerSecond: number | null;
  pollers: number | null;
}

/** A poller's demand in attempts/s that the rate is held against. */
export interface Demand {
  perPoller: number;
}

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

  constructor(
    private readonly capacity: number | null,
    private readonly demand: Demand,
  ) {}

  push(look: PortLook): void {
    const { tMs, portsInUse, timeWait } = look;
    if (portsInUse !== null) this.peak = Math.max(this.peak ?? 0, portsInUse);
    if (timeWait !== null) this.timeWaitPeak = Math.max(this.timeWaitPeak ?? 0, timeWait);
    const isFull = this.capacity !== null && portsInUse !== null && portsInUse >= this.capacity;
    if (isFull || (look.localFailures ?? 0) > 0) this.exhaustedAtMs ??= tMs;
    if (this.isKnee(look)) this.kneeAtMs ??= tMs;
    this.timeWaitBefore = timeWait ?? this.timeWaitBefore;
  }

  private isKnee({ tMs, timeWait, pollers, connectionsPerSecond }: PortLook): boolean {
    // The rate is over the last second; before two of them it lags behind the demand by itself.
    if (tMs < 2_000 || !timeWait || !pollers || connectionsPerSecond === null) return false;
    const grows = timeWait > this.timeWaitBefore;
    return grows && connectionsPerSecond < (pollers * this.demand.perPoller) / 2;
  }
}
