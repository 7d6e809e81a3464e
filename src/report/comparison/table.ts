import { cleanText } from '../../base/text.js';
import type { Comparison } from '../../results/compare/compare.js';
import type { LimitCheck } from '../../results/compare/limits.js';
import type { Row } from '../../results/compare/row.js';
import { renderGrid } from '../grid.js';
import { type Color, paint, toAscii, type View, wrap } from '../layout.js';
import { COLUMNS, cellsOf, hasFigures, VERDICTS } from './cells.js';
import { countsOf, legendOf, outcomeOf, sidesOf, warningsOf } from './summary.js';

const LONGEST_TEXT = 1000;

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
        comparison.rows.filter((row) => row.label === label),
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
  return renderGrid(
    {
      head: ['', ...COLUMNS],
      rows: rows.filter(hasFigures).map((row) => [row.metric, ...cellsOf(row)]),
      color: (cell) => COLORS[cell],
    },
    view,
  );
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
