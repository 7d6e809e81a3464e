import type { Series } from './schema.js';

/** One reading of a lane's counters. What was not measured is null. */
export interface Sample {
  /** Milliseconds of the lane's own time. */
  tMs: number;
  pollers: number | null;
  connectionsPerSecond: number | null;
  portsInUse: number | null;
  timeWait: number | null;
  initLatencyMs: number | null;
  healthLatencyMs: number | null;
}

/** The series beside time, in the order in which extremes are kept. */
export const SERIES = [
  'pollers',
  'connectionsPerSecond',
  'portsInUse',
  'timeWait',
  'initLatencyMs',
  'healthLatencyMs',
] as const;

/** Samples further apart than this are a gap, ms; ten a second are due. */
const GAP_MS = 500;

/** So many gaps say all that more would. */
const MOST_GAPS = 10;

/** A bucket keeps its first sample, and per series the smallest and the largest one. */
const MOST_PER_BUCKET = 1 + 2 * SERIES.length;

/**
 * Records samples into a bounded number of points, however long a run lasts. While they fit, every
 * sample is kept. After that neighbours share a bucket, which keeps whole samples: its first one and
 * those that hold a minimum or maximum of any series. So peaks and dips survive thinning, as do the
 * first and the last sample. Buckets are all equally long, so that old times are kept as finely as
 * new ones. Adding costs O(1) on average: a bucket's length doubles at most log2(samples) times.
 */
export class SeriesRecorder {
  readonly #mostClosed: number;
  #closed: Bucket[] = [];
  #open: Bucket | undefined;
  #last: Sample | undefined;
  /** The longest time between two samples, thinned or not, ms. */
  gapMaxMs = 0;
  /** When there was no sample for long, in whole sentences without a full stop. */
  readonly gaps: string[] = [];
  #samplesPerBucket = 1;
  #closedPoints = 0;

  /**
   * @param maxPoints the most points that {@link series} returns
   * @throws RangeError below 32 points, which is too few to hold the extremes
   */
  constructor(maxPoints = 1200) {
    if (!(maxPoints >= 32)) throw new RangeError(`a series needs at least 32 points: ${maxPoints}`);
    // Room for the bucket that is still open, and for the last sample.
    this.#mostClosed = maxPoints - MOST_PER_BUCKET - 1;
  }

  /**
   * Adds a sample. Time must rise: a sample that is not later than the one before is left out.
   * A value that is no finite number counts as not measured.
   */
  add(sample: Sample): void {
    if (!Number.isFinite(sample.tMs)) return;
    if (this.#last && sample.tMs <= this.#last.tMs) return;
    this.#noteGap(this.#last?.tMs ?? 0, sample.tMs);
    const kept = finite(sample);
    this.#last = kept;
    this.#open ??= new Bucket(kept);
    this.#open.add(kept);
    if (this.#open.samples >= this.#samplesPerBucket) this.#close(this.#open);
  }

  /** The points so far, at most as many as were allowed, with `tMs` strictly rising. */
  series(): Series {
    const points = [...this.#closed, ...(this.#open ? [this.#open] : [])].flatMap((b) =>
      b.points(),
    );
    if (this.#last && points.at(-1) !== this.#last) points.push(this.#last);
    return {
      tMs: points.map((point) => point.tMs),
      pollers: points.map((point) => point.pollers),
      connectionsPerSecond: points.map((point) => point.connectionsPerSecond),
      portsInUse: points.map((point) => point.portsInUse),
      timeWait: points.map((point) => point.timeWait),
      initLatencyMs: points.map((point) => point.initLatencyMs),
      healthLatencyMs: points.map((point) => point.healthLatencyMs),
    };
  }

  /** Whoever reads the lane was stopped, or got no processor. */
  #noteGap(fromMs: number, toMs: number): void {
    this.gapMaxMs = Math.max(this.gapMaxMs, toMs - fromMs);
    if (toMs - fromMs <= GAP_MS || this.gaps.length >= MOST_GAPS) return;
    const [from, to] = [fromMs, toMs].map((ms) => (ms / 1e3).toFixed(1));
    this.gaps.push(`no sample between ${from} s and ${to} s of the outage`);
  }

  #close(bucket: Bucket): void {
    this.#closed.push(bucket);
    this.#closedPoints += bucket.points().length;
    this.#open = undefined;
    // Down to a half, so that the next thinning is far away.
    if (this.#closedPoints > this.#mostClosed) this.#thin(this.#mostClosed / 2);
  }

  #thin(target: number): void {
    while (this.#closedPoints > target && this.#closed.length > 1) {
      const halved: Bucket[] = [];
      for (let i = 0; i < this.#closed.length; i += 2) {
        const [left, right] = this.#closed.slice(i, i + 2);
        if (left && right) left.absorb(right);
        if (left) halved.push(left);
      }
      this.#closed = halved;
      this.#samplesPerBucket *= 2;
      this.#closedPoints = halved.reduce((sum, bucket) => sum + bucket.points().length, 0);
    }
    // A last bucket without a partner is only half full: it goes on filling.
    const last = this.#closed.at(-1);
    if (last && last.samples < this.#samplesPerBucket) {
      this.#closed.pop();
      this.#closedPoints -= last.points().length;
      this.#open = last;
    }
  }
}

/** Neighbouring samples, of which only the first and the extremes are kept. */
class Bucket {
  samples = 0;
  readonly #first: Sample;
  readonly #smallest = new Map<(typeof SERIES)[number], Sample>();
  readonly #largest = new Map<(typeof SERIES)[number], Sample>();

  constructor(first: Sample) {
    this.#first = first;
  }

  add(sample: Sample): void {
    this.samples++;
    this.#weigh(sample);
  }

  absorb(later: Bucket): void {
    this.samples += later.samples;
    for (const sample of later.points()) this.#weigh(sample);
  }

  /** At most {@link MOST_PER_BUCKET} samples, by time. */
  points(): Sample[] {
    const kept = new Set([this.#first, ...this.#smallest.values(), ...this.#largest.values()]);
    return [...kept].sort((a, b) => a.tMs - b.tMs);
  }

  #weigh(sample: Sample): void {
    for (const name of SERIES) {
      const value = sample[name];
      if (value === null) continue;
      if (value < (this.#smallest.get(name)?.[name] ?? Number.POSITIVE_INFINITY)) {
        this.#smallest.set(name, sample);
      }
      if (value > (this.#largest.get(name)?.[name] ?? Number.NEGATIVE_INFINITY)) {
        this.#largest.set(name, sample);
      }
    }
  }
}

function finite(sample: Sample): Sample {
  const kept = { ...sample };
  for (const name of SERIES) if (!Number.isFinite(kept[name])) kept[name] = null;
  return kept;
}
