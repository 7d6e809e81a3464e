/** The window over which a rate is taken, ms. */
export const RATE_WINDOW_MS = 1_000;

/**
 * Turns readings of a counter into events per second, each over the second before it.
 * With samples at 10 Hz a window is a second long within a tenth; the count is divided by what the
 * window really spans, so that a late sample makes no false peak.
 */
export class RateMeter {
  private readonly times: number[] = [];
  private readonly counts: number[] = [];
  private peakSeen: number | null = null;

  /** The largest rate so far; null before the first reading. */
  get peak(): number | null {
    return this.peakSeen;
  }

  /**
   * Takes a reading.
   * @param tMs when it was taken; rises from call to call
   * @param count the counter
   * @returns events per second; within the first second, the events so far
   */
  push(tMs: number, count: number): number {
    this.times.push(tMs);
    this.counts.push(count);
    // Keep the last reading that is at least a window old: the window starts there.
    while ((this.times[1] ?? Number.POSITIVE_INFINITY) <= tMs - RATE_WINDOW_MS) {
      this.times.shift();
      this.counts.shift();
    }
    const span = tMs - (this.times[0] ?? tMs);
    const events = count - (this.counts[0] ?? count);
    const rate = (events * RATE_WINDOW_MS) / Math.max(span, RATE_WINDOW_MS);
    this.peakSeen = Math.max(this.peakSeen ?? 0, rate);
    return rate;
  }
}
