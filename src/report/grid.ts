import Table from 'cli-table3';
import { type Color, displayWidth, paint, toAscii, type View, wrap } from './layout.js';

/** Columns of text, the first one the names of the rows. Text from outside is cleaned already. */
export interface Grid {
  head: readonly string[];
  rows: readonly (readonly string[])[];
  /** The colour of a cell, where it has one. */
  color?: (cell: string) => Color | undefined;
}

/** The frame for terminals without characters beyond ASCII. */
export const ASCII_FRAME = {
  top: '-',
  'top-mid': '+',
  'top-left': '+',
  'top-right': '+',
  bottom: '-',
  'bottom-mid': '+',
  'bottom-left': '+',
  'bottom-right': '+',
  left: '|',
  'left-mid': '+',
  mid: '-',
  'mid-mid': '+',
  right: '|',
  'right-mid': '+',
  middle: '|',
};

/** A grid as the lines of a table, numbers to the right; null where the view is too narrow for it. */
export function renderGrid({ head, rows, color }: Grid, view: View): string[] | null {
  const shown = (text: string): string => (view.unicode ? text : toAscii(text));
  const painted = (cell: string): string => {
    const chosen = color?.(cell);
    return chosen ? paint(shown(cell), chosen, view) : shown(cell);
  };
  const table = new Table({
    head: head.map((name) => paint(shown(name), 'bold', view)),
    colAligns: head.map((_, i) => (i === 0 ? 'left' : 'right')),
    // cli-table3 colours heads and borders by itself unless told not to.
    style: { head: [], border: [], compact: true, 'padding-left': 1, 'padding-right': 1 },
    ...(view.unicode ? {} : { chars: ASCII_FRAME, truncate: '.' }),
  });
  for (const row of rows) table.push(row.map(painted));
  const lines = table.toString().split('\n');
  return lines.every((line) => displayWidth(line) <= view.columns) ? lines : null;
}

/**
 * A grid for a view that is too narrow for columns: every row is a title with a line a figure below.
 * @param titles how many of the first columns make the title
 */
export function renderStack({ head, rows }: Grid, titles: number, view: View): string[] {
  return rows.flatMap((row) => [
    ...wrap(row.slice(0, titles).join(', '), view.columns, '  ').map((l) => paint(l, 'bold', view)),
    ...row
      .slice(titles)
      .flatMap((cell, i) => wrap(`  ${head[i + titles] ?? ''}: ${cell}`, view.columns, '    ')),
  ]);
}
