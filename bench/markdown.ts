import { table } from './cli.js';
import type { Cell, Goal, Measured, Table } from './table.js';

/** Digits that a reader can use: whole numbers when large, three places otherwise. */
function number(value: number): string {
  const size = Math.abs(value);
  if (size >= 1_000) return Math.round(value).toLocaleString('en-US');
  if (size >= 100) return value.toFixed(0);
  return value.toFixed(size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

/** The median, and in brackets the least and the most of the repeats. */
export function figure(cell: Cell): string {
  if (typeof cell === 'string') return cell.replaceAll('|', '\\|').replaceAll('\n', ' ');
  if (typeof cell === 'number') return number(cell);
  if (cell.min === cell.max) return number(cell.median);
  return `${number(cell.median)} (${number(cell.min)}..${number(cell.max)})`;
}

function goalLine({ text, measured, isMet }: Goal): string {
  const verdict = isMet === null ? '– not measured' : isMet ? '✔ met' : '✘ missed';
  return `- ${verdict}: ${text}: ${measured}`;
}

/** The body of a table's section: method, figures, goals. */
export function section(measured: Measured, { title, method }: Table): string {
  const rows = measured.rows.map(({ label, cells }) => [label, ...cells.map(figure)]);
  return [
    `## ${title}`,
    method,
    table(measured.head, rows),
    measured.goals.map(goalLine).join('\n'),
  ].join('\n\n');
}

/**
 * Puts sections where their marks are in a document, and at its end where they have none. What stands
 * between the marks is made by the bench; all else is left as it is.
 */
export function intoDocument(document: string, sections: ReadonlyMap<string, string>): string {
  let text = document;
  for (const [name, body] of sections) {
    const [begin, end] = [`<!-- bench: ${name} -->`, `<!-- end: ${name} -->`];
    const marked = `${begin}\n${body}\n${end}`;
    const from = text.indexOf(begin);
    const to = text.indexOf(end, from);
    text =
      from >= 0 && to >= 0
        ? text.slice(0, from) + marked + text.slice(to + end.length)
        : `${text.trimEnd()}\n\n${marked}\n`;
  }
  return text;
}
