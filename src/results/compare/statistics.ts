/** An interval that holds the median of the population with the given confidence. */
export interface MedianInterval {
  low: number;
  high: number;
  /** From 0 to 1. Few samples reach less than was asked for. */
  confidence: number;
}

/** Whether two samples come from one distribution, and how far apart they are. */
export interface RankTest {
  /** Pairs in which the second sample's value is larger; equal ones count half. */
  u: number;
  /** Two-sided. */
  p: number;
  method: 'exact' | 'normal';
  /** Cliff's delta, from -1 (every second value is below every first one) to 1. */
  effect: number;
}

/** Up to so many values in all, every arrangement is counted; C(50, 25) is exact in a double. */
const MOST_FOR_EXACT = 50;

/** @returns NaN of nothing. Infinite values have their place in the order. */
export function median(values: readonly number[]): number {
  const sorted = ascending(values);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  if (low === undefined || high === undefined) return Number.NaN;
  return low === high ? low : (low + high) / 2;
}

/**
 * The interval between the k-th smallest and the k-th largest value that holds the median with at
 * least the asked confidence: 1 - 2·P(Binomial(n, 1/2) < k), whatever the distribution (David and
 * Nagaraja, Order Statistics, 3rd edition, 7.1). Too few values for it: from the smallest to the
 * largest, with the confidence that this has.
 * @returns null of fewer than two values
 */
export function medianInterval(values: readonly number[], asked: number): MedianInterval | null {
  const sorted = ascending(values);
  const n = sorted.length;
  if (n < 2) return null;
  let k = 0;
  let confidence = 1;
  // P(Binomial = k), and twice the sum of it below k.
  let probability = 2 ** -n;
  let outside = 0;
  do {
    k++;
    outside += 2 * probability;
    confidence = 1 - outside;
    probability *= (n - k + 1) / k;
  } while (1 - outside - 2 * probability >= asked && 2 * (k + 1) <= n);
  return { low: sorted[k - 1] ?? Number.NaN, high: sorted[n - k] ?? Number.NaN, confidence };
}

/**
 * The Mann-Whitney U test (Mann and Whitney 1947), two-sided. With up to 50 values in all, p is the
 * exact share of all ways to deal the pooled mid-ranks to the two samples that lie at least as far
 * from the mean, ties included (Lehmann, Nonparametrics, 1.4); beyond, the normal approximation
 * with corrections for ties and continuity. Cliff's delta is 2U/(n·m) - 1.
 * @param first at least one value, none NaN; infinite ones have their place in the order
 * @param second as `first`
 */
export function mannWhitney(first: readonly number[], second: readonly number[]): RankTest {
  const [n, m] = [first.length, second.length];
  const ranks = doubledRanks([...first, ...second]);
  const secondSum = sum(ranks.slice(n));
  const u = (secondSum - m * (m + 1)) / 2;
  const effect = (2 * u) / (n * m) - 1;
  const isExact = n + m <= MOST_FOR_EXACT;
  const p = isExact ? exactP(ranks, n, sum(ranks.slice(0, n))) : normalP(ranks, n, m, u);
  return { u, p, method: isExact ? 'exact' : 'normal', effect };
}

/** The smallest two-sided p that samples of these sizes can have: all values of one above the other's. */
export function smallestP(n: number, m: number): number {
  let ways = 1;
  for (let i = 1; i <= n; i++) ways *= (m + i) / i;
  return Math.min(1, 2 / ways);
}

/** Twice the rank of every value, so that the mid-ranks of ties are whole numbers. */
function doubledRanks(values: readonly number[]): number[] {
  const sorted = ascending(values);
  const first = new Map<number, number>();
  const last = new Map<number, number>();
  sorted.forEach((value, i) => {
    if (!first.has(value)) first.set(value, i + 1);
    last.set(value, i + 1);
  });
  return values.map((value) => (first.get(value) ?? 0) + (last.get(value) ?? 0));
}

/** The share of all choices of `size` ranks whose sum is as far from the mean as `observed`, or further. */
function exactP(ranks: readonly number[], size: number, observed: number): number {
  const most = sum(ranks);
  // ways[k][s]: how many choices of k ranks have the sum s.
  const ways = Array.from({ length: size + 1 }, () => new Float64Array(most + 1));
  const none = ways[0];
  if (none) none[0] = 1;
  let seen = 0;
  let reach = 0;
  for (const rank of ranks) {
    reach += rank;
    seen++;
    for (let k = Math.min(size, seen); k >= 1; k--) {
      const [to, from] = [ways[k], ways[k - 1]];
      if (!to || !from) continue;
      for (let s = reach; s >= rank; s--) to[s] = (to[s] ?? 0) + (from[s - rank] ?? 0);
    }
  }
  const mean = size * (ranks.length + 1);
  const distance = Math.abs(observed - mean);
  let all = 0;
  let asFar = 0;
  ways[size]?.forEach((count, s) => {
    all += count;
    if (Math.abs(s - mean) >= distance) asFar += count;
  });
  return asFar / all;
}

function normalP(ranks: readonly number[], n: number, m: number, u: number): number {
  const total = n + m;
  const sizes = new Map<number, number>();
  for (const rank of ranks) sizes.set(rank, (sizes.get(rank) ?? 0) + 1);
  const ties = sum([...sizes.values()].map((t) => t ** 3 - t));
  const variance = ((n * m) / 12) * (total + 1 - ties / (total * (total - 1)));
  if (variance === 0) return 1;
  const distance = Math.max(0, Math.abs(u - (n * m) / 2) - 0.5);
  return erfc(distance / Math.sqrt(2 * variance));
}

/** The complementary error function of x >= 0, within 1.5e-7 (Abramowitz and Stegun 7.1.26). */
function erfc(x: number): number {
  const t = 1 / (1 + 0.3275911 * x);
  const polynomial =
    t *
    (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return Math.min(1, polynomial * Math.exp(-x * x));
}

function ascending(values: readonly number[]): number[] {
  // Not by subtraction: of two infinite values that is NaN.
  return [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
