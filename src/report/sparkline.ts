const BLOCKS = '▁▂▃▄▅▆▇█';
const ASCII_BLOCKS = '_.-=+*%#';

/**
 * The last points of a series as a line of bars, scaled from 0. What was not measured is a gap.
 * @param width the most cells that it takes
 * @param top what a full bar stands for; default: the largest of the points shown
 */
export function sparkline(
  points: readonly (number | null)[],
  width: number,
  unicode: boolean,
  top?: number,
): string {
  const blocks = unicode ? BLOCKS : ASCII_BLOCKS;
  const shown = width > 0 ? points.slice(-width) : [];
  const largest = top ?? Math.max(0, ...shown.map((point) => point ?? 0));
  return shown
    .map((point) => {
      if (point === null) return ' ';
      const height = largest === 0 ? 0 : Math.round((point / largest) * (blocks.length - 1));
      return blocks[height] ?? ' ';
    })
    .join('');
}

/**
 * The largest value in each of `width` equal spans of time: for a whole series in little room.
 * Samples need not be evenly spaced. Null where a span holds none.
 */
export function squeeze(
  tMs: readonly number[],
  values: readonly (number | null)[],
  width: number,
): (number | null)[] {
  const spans: (number | null)[] = Array.from({ length: width }, () => null);
  const end = tMs.at(-1) ?? 0;
  values.forEach((value, i) => {
    const span = Math.min(width - 1, Math.floor(((tMs[i] ?? 0) / (end || 1)) * width));
    if (value !== null) spans[span] = Math.max(spans[span] ?? 0, value);
  });
  return spans;
}
