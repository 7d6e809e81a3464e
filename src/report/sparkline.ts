const BLOCKS = '▁▂▃▄▅▆▇█';
const ASCII_BLOCKS = '_.-=+*%#';

/**
 * The last points of a series as a line of bars, scaled from 0 to the largest of them. What was not
 * measured is a gap.
 * @param width the most cells that it takes
 */
export function sparkline(
  points: readonly (number | null)[],
  width: number,
  unicode: boolean,
): string {
  const blocks = unicode ? BLOCKS : ASCII_BLOCKS;
  const shown = width > 0 ? points.slice(-width) : [];
  const largest = Math.max(0, ...shown.map((point) => point ?? 0));
  return shown
    .map((point) => {
      if (point === null) return ' ';
      const height = largest === 0 ? 0 : Math.round((point / largest) * (blocks.length - 1));
      return blocks[height] ?? ' ';
    })
    .join('');
}
