import { formatCount, formatRatio, NO_DATA } from './numbers.js';

/** Which way a figure is better. */
export type Better = 'less' | 'more';

/** How a figure of a second lane differs from that of the first. */
export interface Change {
  /** `-99.8 %`, `595x`, `unchanged`, `was 0, now 5`, or `–` where one of them was not measured. */
  text: string;
  /** Null where it is the same, not known, or the figure has no better way. */
  judged: 'better' | 'worse' | null;
}

/** Above this many times a percentage is harder to read than the ratio. */
const MANY = 10;

/**
 * @param better which way is better; left out where a difference proves nothing
 */
export function changeOf(first: number | null, second: number | null, better?: Better): Change {
  if (first === null || second === null || !Number.isFinite(first) || !Number.isFinite(second)) {
    return { text: NO_DATA, judged: null };
  }
  if (first === second) return { text: 'unchanged', judged: null };
  const judged =
    better === undefined ? null : second < first === (better === 'less') ? 'better' : 'worse';
  return { text: textOf(first, second), judged };
}

function textOf(first: number, second: number): string {
  // Over 0 there is no ratio.
  if (first === 0) return `was 0, now ${formatCount(second)}`;
  if (second / first >= MANY) return formatRatio(second, first);
  const percent = (Math.abs(second - first) / first) * 100;
  const sign = second > first ? '+' : '−';
  if (percent < 0.1) return `${sign}<0.1 %`;
  // All but nothing is not nothing.
  if (percent > 99.9 && percent < 100) return `${sign}>99.9 %`;
  const places = percent < 10 || (percent > 99 && percent < 100) ? 1 : 0;
  return `${sign}${percent.toFixed(places).replace(/\.0$/, '')} %`;
}
