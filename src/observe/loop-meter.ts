import { LOOP_TOLD_EVERY_MS, type LoopReading } from '../base/event-loop.js';
import { RateMeter } from './rate.js';

/** How an event loop fared between a beginning and an end. */
export interface LoopUse {
  /** The busiest second: the share of it in which the loop did not wait, 0 to 1. Null if never told. */
  utilizationPeak: number | null;
  /** The longest time that it was late with telling of itself, ms. */
  delayMaxMs: number | null;
}

/**
 * Learns from the readings that a thread tells, ten a second, how busy its loop was, and for how long
 * it did nothing at all: because it was busy with one thing, because others had the processor, or
 * because it was stopped.
 */
export class LoopMeter {
  private startMs: number | undefined;
  private endMs = Number.POSITIVE_INFINITY;
  /** The newest reading of all. */
  private last: LoopReading | undefined;
  private readonly rate = new RateMeter();
  private delayMaxMs = 0;

  /** What was told before does not count. */
  begin(startMs: number): void {
    this.startMs = startMs;
    if (this.last) this.rate.push(this.last.atMs - startMs, this.last.activeMs);
  }

  /** What is told of later does not count, but for the time until it is. */
  end(endMs: number): void {
    this.endMs = Math.min(this.endMs, endMs);
  }

  push(reading: LoopReading): void {
    const { startMs, endMs, last } = this;
    if (last && reading.atMs <= last.atMs) return;
    this.last = reading;
    if (startMs === undefined || reading.atMs < startMs) return;
    this.wait(Math.max(last?.atMs ?? startMs, startMs), Math.min(reading.atMs, endMs));
    if (reading.atMs <= endMs) this.rate.push(reading.atMs - startMs, reading.activeMs);
  }

  /** Nulls where nothing was told since the beginning. */
  use(): LoopUse {
    const { startMs, endMs, last } = this;
    if (!last || startMs === undefined) return { utilizationPeak: null, delayMaxMs: null };
    // Silent to the end.
    if (Number.isFinite(endMs)) this.wait(Math.max(last.atMs, startMs), endMs);
    const { peak } = this.rate;
    return {
      utilizationPeak: peak === null ? null : Math.min(1, peak / 1e3),
      delayMaxMs: this.delayMaxMs,
    };
  }

  private wait(fromMs: number, toMs: number): void {
    this.delayMaxMs = Math.max(this.delayMaxMs, toMs - fromMs - LOOP_TOLD_EVERY_MS);
  }
}

/** The loops of several threads, each known by its place: what is said of them is that of the busiest. */
export class LoopMeters {
  private readonly meters: LoopMeter[] = [];
  private startMs: number | undefined;

  begin(startMs: number): void {
    this.startMs = startMs;
    for (const meter of this.meters) meter.begin(startMs);
  }

  end(endMs: number): void {
    for (const meter of this.meters) meter.end(endMs);
  }

  push(readings: readonly LoopReading[]): void {
    for (const [at, reading] of readings.entries()) this.meterAt(at).push(reading);
  }

  /** The busiest second of any, and the longest delay; nulls where nothing was told. */
  use(): LoopUse {
    const uses = this.meters.map((meter) => meter.use());
    return {
      utilizationPeak: mostOf(uses.map(({ utilizationPeak }) => utilizationPeak)),
      delayMaxMs: mostOf(uses.map(({ delayMaxMs }) => delayMaxMs)),
    };
  }

  private meterAt(at: number): LoopMeter {
    const meter = this.meters[at] ?? new LoopMeter();
    if (!this.meters[at]) {
      this.meters[at] = meter;
      if (this.startMs !== undefined) meter.begin(this.startMs);
    }
    return meter;
  }
}

function mostOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length > 0 ? Math.max(...known) : null;
}
