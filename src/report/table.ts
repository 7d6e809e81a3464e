import { cleanText } from '../base/text.js';
import type { Check, Claim, LaneResult, Result } from '../results/schema.js';
import { renderGrid } from './grid.js';
import { machinePhrases, partialPhrase, scenarioPhrases } from './headline.js';
import { type Color, paint, toAscii, truncate, type View, wrap } from './layout.js';
import { formatRatio, formatValue } from './numbers.js';
import {
  ENOUGH_SAMPLES,
  hasFewSamples,
  hasOverload,
  isOverloaded,
  marked,
  OVERLOAD_LEGEND,
  OVERLOAD_MARK,
  rowsOf,
} from './rows.js';

const WIDEST_NAME = 24;
const LONGEST_TEXT = 1000;

interface Mark {
  color: Color;
  mark: string;
  asciiMark: string;
}

const GOOD: Mark = { color: 'green', mark: '✔', asciiMark: '+' };
const BAD: Mark = { color: 'red', mark: '✘', asciiMark: 'x' };
const MARKS: Record<Claim['verdict'] | Check['verdict'], Mark> = {
  reproduced: GOOD,
  refuted: BAD,
  'not-applicable': { color: 'dim', mark: '–', asciiMark: '-' },
  pass: GOOD,
  fail: BAD,
};

/**
 * A result for a terminal: what was run, the figures of all lanes side by side (one under another
 * where the terminal is too narrow for that), the claims and the notes. Every line fits into
 * `view.columns`; whatever came from outside is stripped of escapes and bounded.
 */
export function renderTable(result: Result, view: View): string {
  const sections = [
    headerLines(result, view),
    figureLines(result.lanes, view),
    legendLines(result.lanes, view),
    troubleLines(result.lanes, view),
    claimLines(result, view),
    checkLines(result.checks, view),
    noteLines(result, view),
  ];
  const text = sections
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join('\n')}\n`)
    .join('\n');
  return view.unicode ? text : toAscii(text);
}

function headerLines(result: Result, view: View): string[] {
  const comma = (phrases: string[]) => wrap(plain(phrases.join(', '), view), view.columns, '  ');
  const partial = partialPhrase(result);
  return [
    ...comma([`envd-bench ${result.tool.version}`, `run ${result.id}`]).map((line) =>
      paint(line, 'bold', view),
    ),
    ...(partial ? wrap(partial, view.columns, '  ').map((l) => paint(l, 'yellow', view)) : []),
    ...comma(scenarioPhrases(result.scenario)),
    ...comma(machinePhrases(result.machine)),
  ];
}

function figureLines(lanes: readonly LaneResult[], view: View): string[] {
  const names = lanes.map((lane) => truncate(plain(lane.agent, view), WIDEST_NAME));
  const table = rowsOf(lanes).map((row) => ({
    label: row.label,
    cells: lanes.map((lane) => plain(row.cell(lane), view)),
    ratio: ratioOf(lanes, row.value),
  }));
  const hasRatio = lanes.length === 2;
  const grid = renderGrid(
    {
      head: ['', ...names, ...(hasRatio ? ['ratio'] : [])],
      rows: table.map(({ label, cells, ratio }) => [label, ...cells, ...(hasRatio ? [ratio] : [])]),
    },
    view,
  );
  if (grid) return grid;

  return table.flatMap(({ label, cells, ratio }) => [
    ...wrap(label, view.columns, '  ').map((line) => paint(line, 'bold', view)),
    ...cells.flatMap((cell, i) => wrap(`  ${names[i]}: ${cell}`, view.columns, '    ')),
    ...(hasRatio && ratio ? [`  ratio: ${ratio}`] : []),
  ]);
}

/** The first lane's figure over the second's, where there are exactly two. */
function ratioOf(
  lanes: readonly LaneResult[],
  value: ((lane: LaneResult) => number | null) | undefined,
): string {
  const [first, second, ...more] = lanes;
  return value && first && second && more.length === 0
    ? formatRatio(value(first), value(second))
    : '';
}

function legendLines(lanes: readonly LaneResult[], view: View): string[] {
  const legend = [
    ...(lanes.some((lane) => Object.values(lane.predicted).some((figure) => figure !== null))
      ? ['[ ] predicted by the closed form']
      : []),
    ...(lanes.some(hasFewSamples)
      ? [`~ percentile of fewer than ${ENOUGH_SAMPLES} samples: hardly more than the maximum`]
      : []),
    ...(lanes.some(hasOverload) ? [`${OVERLOAD_MARK} ${OVERLOAD_LEGEND}`] : []),
    ...(lanes.length === 2 ? ['ratio: first lane over second; of percentiles, the p99'] : []),
  ];
  return legend.flatMap((line) => wrap(line, view.columns, '  ')).map((l) => paint(l, 'dim', view));
}

function troubleLines(lanes: readonly LaneResult[], view: View): string[] {
  return lanes.flatMap(({ agent, trouble }) =>
    trouble === null
      ? []
      : wrap(`trouble in ${plain(agent, view)}: ${plain(trouble, view)}`, view.columns, '  ').map(
          (line) => paint(line, 'red', view),
        ),
  );
}

function claimLines({ claims, lanes }: Result, view: View): string[] {
  if (claims.length === 0) return [];
  return [
    paint('Claims', 'bold', view),
    ...claims.flatMap((claim) => {
      const figures = `predicted ${formatValue(claim.predicted)}, measured ${formatValue(claim.measured)}`;
      const lane =
        claim.lane === null ? '' : ` (${marked(claim.lane, isOverloaded(claim.lane, lanes))})`;
      return [
        ...judgedLines(claim.verdict, `${claim.id}: ${claim.text}`, view),
        ...wrap(`    ${plain(`${figures}${lane}: ${claim.reason}`, view)}`, view.columns, '    '),
      ];
    }),
  ];
}

function checkLines(checks: readonly Check[], view: View): string[] {
  if (checks.length === 0) return [];
  return [
    paint('Checks', 'bold', view),
    ...checks.flatMap(({ verdict, expression, reason }) =>
      judgedLines(verdict, `${expression} (${reason})`, view),
    ),
  ];
}

/** A sentence after its verdict, which is painted. */
function judgedLines(
  verdict: Claim['verdict'] | Check['verdict'],
  text: string,
  view: View,
): string[] {
  const { color, mark, asciiMark } = MARKS[verdict];
  const marked = `${view.unicode ? mark : asciiMark} ${verdict}`;
  const [title = '', ...rest] = wrap(`${marked} ${plain(text, view)}`, view.columns, '    ');
  return [
    // The verdict is never broken over lines: two words, at the start.
    title.startsWith(marked) ? paint(marked, color, view) + title.slice(marked.length) : title,
    ...rest,
  ];
}

function noteLines(result: Result, view: View): string[] {
  return result.notes.flatMap(({ lane, text }) =>
    wrap(plain(`note${lane === null ? '' : ` (${lane})`}: ${text}`, view), view.columns, '  '),
  );
}

/** Text from outside, on one line, in characters that the terminal has. */
function plain(text: string, view: View): string {
  const clean = cleanText(text, LONGEST_TEXT);
  return view.unicode ? clean : toAscii(clean);
}
