import {
  build,
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  type Histogram,
} from 'hdr-histogram-js';
import { messageOf } from '../base/errors.js';
import type { Requests } from './schema.js';

/** Milliseconds; null where there is no sample. `p50 <= p99 <= max`, and `max` is exact. */
export type LatencySummary = Requests['latencyMs'];

/** What a histogram may hold at most, in µs: 35 years, so that its size stays bounded. */
const HIGHEST_US = 2 ** 50;

/**
 * The longest encoded histogram that is read, in characters. At three significant digits and 24
 * days the whole distribution takes less than half of it.
 */
const LONGEST_ENCODED = 256 * 1024;

/**
 * A distribution of times: an HdrHistogram in µs with three significant digits, and the maximum
 * apart, because a histogram only knows the bucket that the maximum fell into.
 */
export class LatencyRecorder {
  readonly #histogram: Histogram = build({
    bitBucketSize: 32,
    autoResize: true,
    lowestDiscernibleValue: 1,
    highestTrackableValue: 60e6,
    numberOfSignificantValueDigits: 3,
  });
  #maxMs = 0;

  /** How many samples were recorded or merged. */
  get count(): number {
    return this.#histogram.totalCount;
  }

  /**
   * @param ms one sample. A negative one counts as 0: Node's timers may fire a little early.
   * @throws RangeError when it is no finite number
   */
  record(ms: number): void {
    if (!Number.isFinite(ms)) throw new RangeError(`a latency must be a finite number, not ${ms}`);
    const atLeastZero = Math.max(0, ms);
    // Rounded up, so that a bucket's upper end is never below its samples: cut off at the exact
    // maximum, one sample v is then reported as v in every percentile.
    this.#histogram.recordValue(Math.min(Math.ceil(atLeastZero * 1e3), HIGHEST_US));
    this.#maxMs = Math.max(this.#maxMs, atLeastZero);
  }

  summary(): LatencySummary {
    if (this.count === 0) return { p50: null, p99: null, max: null };
    return { p50: this.percentileMs(50), p99: this.percentileMs(99), max: this.#maxMs };
  }

  /** The whole distribution as HdrHistogram V2 compressed base64; null when there is no sample. */
  encode(): string | null {
    return this.count === 0 ? null : encodeIntoCompressedBase64(this.#histogram);
  }

  /**
   * Adds all samples of another recorder, so that percentiles are those of all samples together.
   * @param encoded what its {@link encode} gave
   * @param maxMs its exact maximum, which the encoding does not hold
   * @throws RangeError when `encoded` is not such a histogram
   */
  merge(encoded: string, maxMs: number): void {
    this.#histogram.add(decodeHistogram(encoded));
    this.#maxMs = Math.max(this.#maxMs, maxMs);
  }

  /** The latency that so many percent do not exceed, ms; 0 of no sample. */
  percentileMs(percentile: number): number {
    return Math.min(this.#histogram.getValueAtPercentile(percentile) / 1e3, this.#maxMs);
  }
}

/** Percent of all requests that a field of the summary speaks of. */
const PERCENT = { p50: 50, p99: 99, max: 100 } as const;

/**
 * A latency over all requests that were sent, of which one without an answer took longer than any
 * answer: what hangs must not look fast because it is missing among the answers.
 * @returns ms; Infinity where the request at that place was not answered; null where nothing was sent,
 * or the distribution is not known
 * @throws RangeError when the histogram is none
 */
export function latencyOfAllSent(
  { answered, timedOut, failed, latencyMs, histogram }: Requests,
  of: keyof typeof PERCENT,
): number | null {
  // Not counted: whether any request went unanswered is not known.
  if (answered === null || timedOut === null || failed === null) return null;
  const unanswered = timedOut + failed;
  if (unanswered === 0) return latencyMs[of];
  const percent = (PERCENT[of] * (answered + unanswered)) / answered;
  if (percent > 100) return Number.POSITIVE_INFINITY;
  if (histogram === null || latencyMs.max === null) return null;
  const recorder = new LatencyRecorder();
  recorder.merge(histogram, latencyMs.max);
  return recorder.percentileMs(percent);
}

/** @throws RangeError when `encoded` is no histogram of this project's kind */
function decodeHistogram(encoded: string): Histogram {
  if (encoded.length > LONGEST_ENCODED) {
    throw new RangeError(`a histogram of ${encoded.length} characters is too long`);
  }
  try {
    return decodeFromCompressedBase64(encoded);
  } catch (thrown) {
    throw new RangeError(`not an encoded histogram: ${messageOf(thrown)}`);
  }
}
