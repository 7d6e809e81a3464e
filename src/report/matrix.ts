import Table from 'cli-table3';
import { cleanText } from '../base/text.js';
import type { Matrix, MatrixCell } from '../results/matrix.js';
import type { LaneResult } from '../results/schema.js';
import { ASCII_FRAME, renderStack } from './grid.js';
import { displayWidth, toAscii, type View, wrap } from './layout.js';
import { formatCount, formatMs, formatRate, formatValue, NO_DATA } from './numbers.js';
import { hasOverload, isOverloaded, marked, markedFigure, OVERLOAD_MARK } from './rows.js';

/** A grid as columns of text: for a terminal, or for a markdown document. */
interface Grid {
  head: string[];
  rows: string[][];
}

/** Fault, retry policy and poller model name a cell. */
const TITLES = 3;

const MARK = { reproduced: '✔', refuted: '✘', 'not-applicable': '–' } as const;

/**
 * The matrix for a terminal: the figures of every cell, then the claims with what decides them; one
 * under another where the terminal is too narrow for columns.
 */
export function renderMatrix(matrix: Matrix, view: View): string {
  const text = [
    ...[figures(matrix), claims(matrix)].map((grid) => asTable(grid, view) ?? asStack(grid, view)),
    wrapped(legend(matrix), view),
  ].join('\n');
  return view.unicode ? text : toAscii(text);
}

/** The same as markdown tables. */
export function renderMatrixMarkdown(matrix: Matrix): string {
  return `${[figures(matrix), claims(matrix)].map(asMarkdown).join('\n')}\n${inert(legend(matrix))}`;
}

function figures({ cells }: Matrix): Grid {
  const lanes = laneNames(cells);
  return {
    head: [
      'fault',
      'retry',
      'poller',
      ...lanes.flatMap((name) => [
        `${cleanText(name, 40)}: pollers`,
        'connections/s [asked for]',
        'connections',
        'ports',
        '/health p99',
      ]),
    ],
    rows: cells.map((cell) => [
      ...nameOf(cell),
      ...(cell.skipped
        ? [cleanText(cell.skipped, 300)]
        : lanes.flatMap((name) => figuresOf(cell.lanes.find(({ agent }) => agent === name)))),
    ]),
  };
}

function figuresOf(lane: LaneResult | undefined): string[] {
  if (!lane) return Array(5).fill(NO_DATA);
  const { pollers, connections, ports, health, predicted } = lane;
  const asked = predicted.connectionsPerSecondPeak;
  const figure = (label: string, text: string) => markedFigure(label, lane, text);
  return [
    figure('pollers peak', formatCount(pollers.peak)),
    figure(
      'connections/s peak',
      asked === null
        ? formatRate(connections.perSecondPeak)
        : `${formatRate(connections.perSecondPeak)} [${formatCount(asked)}]`,
    ),
    figure('connections total', formatCount(connections.total)),
    figure(
      'ports peak',
      ports.exhaustedAtMs === null
        ? formatCount(ports.peak)
        : `${formatCount(ports.peak)}, exhausted at ${formatCount(ports.exhaustedAtMs / 1e3)} s`,
    ),
    figure('/health p50/p99/max', formatMs(health.latencyMs.p99)),
  ];
}

function claims({ cells }: Matrix): Grid {
  const ids = [...new Set(cells.flatMap((cell) => cell.claims.map(({ id }) => id)))];
  return {
    head: ['fault', 'retry', 'poller', ...ids.map((id) => cleanText(id, 40))],
    rows: cells
      .filter(({ skipped }) => !skipped)
      .map((cell) => [
        ...nameOf(cell),
        ...ids.map((id) => {
          const claim = cell.claims.find((one) => one.id === id);
          if (!claim) return NO_DATA;
          const { verdict, measured } = claim;
          const isKnown = typeof measured === 'number' && verdict !== 'not-applicable';
          const number = isKnown ? ` ${formatValue(measured)}` : '';
          const isSpoiled = claim.lane !== null && isOverloaded(claim.lane, cell.lanes);
          return marked(`${MARK[verdict]}${number}`, isSpoiled);
        }),
      ]),
  };
}

function nameOf({ fault, retry, poller }: MatrixCell): string[] {
  return [fault, retry, poller].map((name) => cleanText(name, 60));
}

function laneNames(cells: readonly MatrixCell[]): string[] {
  return [...new Set(cells.flatMap(({ lanes }) => lanes.map(({ agent }) => agent)))];
}

/** Null where the view is too narrow for it. */
function asTable({ head, rows }: Grid, view: View): string | null {
  const table = new Table({
    head,
    style: { head: [], border: [], compact: true },
    ...(view.unicode ? {} : { chars: ASCII_FRAME, truncate: '.' }),
  });
  for (const row of rows) {
    const last = row.at(-1) ?? '';
    table.push(
      row.length < head.length
        ? [...row.slice(0, -1), { content: last, colSpan: head.length - row.length + 1 }]
        : row,
    );
  }
  const lines = table.toString().split('\n');
  return lines.every((line) => displayWidth(line) <= view.columns) ? `${lines.join('\n')}\n` : null;
}

/** Which lane a figure is of is said with each of them, for there are no columns to see it by. */
function asStack({ head, rows }: Grid, view: View): string {
  let lane = '';
  const labels = head.map((label) => {
    const at = label.indexOf(': ');
    if (at >= 0) lane = label.slice(0, at);
    return lane === '' || at >= 0 ? label : `${lane}: ${label}`;
  });
  const whole = rows.map((row) =>
    row.length < head.length && row.length > TITLES
      ? { head: [...head.slice(0, TITLES), 'skipped'], rows: [row] }
      : { head: labels, rows: [row] },
  );
  return `${whole.flatMap((grid) => renderStack(grid, TITLES, view)).join('\n')}\n`;
}

function wrapped(text: string, { columns }: View): string {
  return text
    .split('\n')
    .flatMap((line) => wrap(line, columns, '  '))
    .join('\n');
}

function asMarkdown({ head, rows }: Grid): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => inert(cell)).join(' | ')} |`;
  return `${[
    line(head),
    line(head.map((_, i) => (i < 3 ? '---' : '---:'))),
    ...rows.map((row) => line([...row, ...Array(head.length - row.length).fill('')])),
  ].join('\n')}\n`;
}

/** A cell in which nothing from outside takes effect: it ends no cell, and is no tag, link or mention. */
function inert(cell: string): string {
  return cell
    .replace(/[\\`<>&@*_~]|\](?=\()/g, (character) => `&#${character.charCodeAt(0)};`)
    .replaceAll('|', '\\|');
}

function legend({ complete, cells }: Matrix): string {
  const marks = '✔ reproduced, ✘ refuted, – not applicable; the number is what was measured';
  const overloaded = cells.flatMap((cell) =>
    cell.lanes
      .filter(hasOverload)
      .map(
        ({ agent, overload }) =>
          `${nameOf(cell).join('/')} ${cleanText(agent, 40)} (${overload.join(', ')})`,
      ),
  );
  const overload =
    overloaded.length > 0
      ? `${OVERLOAD_MARK} the tool or the machine could not follow: ${overloaded.join('; ')}\n`
      : '';
  return `${marks}\n${overload}${complete ? '' : 'partial: interrupted before every cell was filled\n'}`;
}
