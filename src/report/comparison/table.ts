import { cleanText } from '../../base/text.js';
import type { Comparison } from '../../results/compare/compare.js';
import type { LimitCheck } from '../../results/compare/limits.js';
import type { Row } from '../../results/compare/row.js';
import { renderGrid } from '../grid.js';
import { type Color, paint, toAscii, type View, wrap } from '../layout.js';
import { COLUMNS, type Column, cellsOf, hasFigures, isIdle, phraseOf, VERDICTS } from './cells.js';
import { countsOf, legendOf, outcomeOf, sidesOf, warningsOf } from './summary.js';

const LONGEST_TEXT = 1000;

const WITHOUT_EFFECT: readonly Column[] = COLUMNS.filter((name) => name !== 'effect');

const LIMIT: Record<LimitCheck['verdict'], { color: Color; mark: string; asciiMark: string }> = {
  pass: { color: 'green', mark: '✔', asciiMark: '+' },
  fail: { color: 'red', mark: '✘', asciiMark: 'x' },
  'not-judged': { color: 'yellow', mark: '–', asciiMark: '-' },
};

const COLORS: Partial<Record<string, Color>> = {
  [VERDICTS.worse]: 'red',
  [VERDICTS.better]: 'green',
  [VERDICTS['no-change']]: 'dim',
};

/** A comparison for a terminal. Every line fits into `view.columns`. */
export function renderComparisonTable(comparison: Comparison, view: View): string {
  const labels = [...new Set(comparison.rows.filter(hasFigures).map(({ label }) => label))];
  const sections = [
    [
      ...lines(`compare: ${outcomeOf(comparison)}`, view, 'bold'),
      ...lines(`${sidesOf(comparison)}: ${countsOf(comparison)}`, view),
    ],
    warningsOf(comparison).flatMap((warning) => lines(`warning: ${warning}`, view, 'yellow')),
    ...labels.map((label) => [
      ...lines(label, view, 'bold'),
      ...figures(
        comparison.rows.filter((row) => row.label === label && hasFigures(row)),
        view,
      ),
    ]),
    comparison.limits.flatMap((limit) => limitLines(limit, view)),
    legendOf(comparison).flatMap((line) => lines(line, view, 'dim')),
  ];
  const text = sections
    .filter((section) => section.length > 0)
    .map((section) => `${section.join('\n')}\n`)
    .join('\n');
  return view.unicode ? text : toAscii(text);
}

function figures(rows: readonly Row[], view: View): string[] {
  const idle = rows.filter(isIdle);
  const shown = rows.filter((row) => !isIdle(row));
  return [
    ...(shown.length === 0 ? [] : grid(shown, view)),
    ...(idle.length === 0
      ? []
      : lines(
          `nothing on either side: ${idle.map(({ metric }) => metric).join(', ')}`,
          view,
          'dim',
        )),
  ];
}

/** As many columns as fit; where even the fewest do not, every row is a sentence. */
function grid(rows: readonly Row[], view: View): string[] {
  for (const columns of [COLUMNS, WITHOUT_EFFECT]) {
    const table = renderGrid(
      {
        head: ['', ...columns],
        rows: rows.map((row) => {
          const cells = cellsOf(row);
          return [row.metric, ...columns.map((column) => cells[column])];
        }),
        color: (cell) => COLORS[cell],
      },
      view,
    );
    if (table) return table;
  }
  return rows.flatMap((row) => lines(phraseOf(row), view, COLORS[VERDICTS[row.verdict]]));
}

function limitLines({ expression, label, verdict, reason }: LimitCheck, view: View): string[] {
  const { color, mark, asciiMark } = LIMIT[verdict];
  const outcome = view.unicode ? mark : asciiMark;
  return lines(`${outcome} ${expression} (${label}): ${reason}`, view, color);
}

function lines(text: string, view: View, color?: Color): string[] {
  const clean = cleanText(text, LONGEST_TEXT);
  return wrap(view.unicode ? clean : toAscii(clean), view.columns, '  ').map((line) =>
    color ? paint(line, color, view) : line,
  );
}
