import type { Claim, LaneResult, Result } from '../results/schema.js';
import { SERIES } from '../results/thin.js';
import { changeOf } from './change.js';
import { machinePhrases, scenarioPhrases } from './headline.js';
import { type Block, boundedText } from './markdown/bounded.js';
import { code, prose } from './markdown/escape.js';
import { formatCount, formatValue, NO_DATA } from './numbers.js';
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
import { SERIES_TITLES } from './series.js';
import { sparkline, squeeze } from './sparkline.js';
import { type Outcome, verdictOf } from './verdict.js';

/** GitHub takes comments of 65,536 characters; a comment's hidden marker needs some of them. */
export const MOST_CHARACTERS = 65_000;

/** More lanes than this are not named in the verdict's line. */
const NAMED_LANES = 4;

/** How many bars a whole series is drawn with. */
const BARS = 30;

const OUTCOME: Record<Outcome, string> = {
  passed: '✅ passed',
  failed: '❌ failed',
  incomplete: '⚠️ not conclusive',
  measured: 'ℹ️ measured',
};

const VERDICT: Record<Claim['verdict'], string> = {
  reproduced: '✔ reproduced',
  refuted: '✘ refuted',
  'not-applicable': '– not applicable',
};

/**
 * Results as a comment on GitHub: the verdicts, then for every result the figures side by side, the
 * claims, the checks and the notes, and folded away the scenario, the machine and the course over
 * time. At most {@link MOST_CHARACTERS} characters. Whatever came from outside is shown as text:
 * no markdown, HTML, mention, reference or link of it takes effect.
 */
export function renderMarkdown(results: readonly Result[]): string {
  const several = results.length > 1;
  const blocks = [
    ...results.map((result) => list('', verdictLines(result))),
    ...results.flatMap((result) => [
      ...(several ? [list('', [`#### Run ${code(result.id)}`])] : []),
      ...resultBlocks(result),
    ]),
  ];
  return boundedText(blocks, MOST_CHARACTERS);
}

function verdictLines(result: Result): string[] {
  const { outcome, reasons, claims } = verdictOf(result);
  return [
    `### envd-bench: ${OUTCOME[outcome]}`,
    '',
    [
      `**${sentence(reasons.join('; '))}**`,
      ...(claims === '' ? [] : [`Claims: ${claims}.`]),
      ...pollersSentence(result.lanes),
    ].join(' '),
    '',
    `${prose(scenarioPhrases(result.scenario).slice(0, 4).join(', '))}, run ${code(result.id)}`,
  ];
}

function pollersSentence(lanes: readonly LaneResult[]): string[] {
  if (lanes.length > NAMED_LANES) return [];
  const peaks = lanes.map(({ agent, pollers }) => `${code(agent)} ${formatCount(pollers.peak)}`);
  return [`Pollers at most: ${peaks.join(', ')}.`];
}

function resultBlocks(result: Result): Block[] {
  return [
    list('', troubles(result.lanes)),
    figures(result.lanes),
    list('', legend(result.lanes)),
    list(
      '**Claims**',
      result.claims.map((claim) => claimLine(claim, result.lanes)),
    ),
    list('**Checks**', result.checks.map(checkLine)),
    list('**Notes**', result.notes.map(noteLine)),
    folded(
      'Scenario and machine',
      [
        ...scenarioPhrases(result.scenario),
        ...machinePhrases(result.machine),
        `envd-bench ${result.tool.version}, started ${result.startedAt}`,
      ].map((phrase) => `- ${prose(phrase)}`),
    ),
    course(result.lanes),
  ];
}

function troubles(lanes: readonly LaneResult[]): string[] {
  return lanes.flatMap(({ agent, trouble }) =>
    trouble === null ? [] : [`⚠️ ${code(agent)}: ${prose(trouble)}`],
  );
}

/** The one table. Two lanes are base and head: the change between them stands beside. */
function figures(lanes: readonly LaneResult[]): Block {
  const [first, second] = lanes;
  const pair = lanes.length === 2 && first && second ? ([first, second] as const) : undefined;
  const names = [...lanes.map(({ agent }) => code(agent)), ...(pair ? ['change'] : [])];
  return {
    head: [row(['', ...names]), row([':--', ...names.map(() => '--:')])],
    lines: rowsOf(lanes).map(({ label, cell, value, better }) => {
      const change = pair && value ? changeOf(value(pair[0]), value(pair[1]), better) : undefined;
      const judged = change?.judged ? `${change.text}, ${change.judged}` : (change?.text ?? '');
      return row([
        prose(label),
        ...lanes.map((lane) => prose(cell(lane))),
        ...(pair ? [judged] : []),
      ]);
    }),
    foot: [],
  };
}

function legend(lanes: readonly LaneResult[]): string[] {
  const parts = [
    'In brackets: predicted by the closed form.',
    ...(lanes.some(hasFewSamples)
      ? [`~: percentile of fewer than ${ENOUGH_SAMPLES} samples.`]
      : []),
    ...(lanes.some(hasOverload) ? [`${OVERLOAD_MARK}: ${OVERLOAD_LEGEND}.`] : []),
    ...(lanes.length === 2
      ? ['Change: from the first lane to the second within this one run; of percentiles, the p99.']
      : []),
  ];
  return [`<sub>${parts.join(' ').replaceAll('~', '&#126;')}</sub>`];
}

function claimLine(
  { id, text, lane, predicted, measured, verdict, reason }: Claim,
  lanes: readonly LaneResult[],
): string {
  const where = lane === null ? '' : ` (${marked(code(lane), isOverloaded(lane, lanes))})`;
  const figures = `predicted ${formatValue(predicted)}, measured ${formatValue(measured)}`;
  return `- **${VERDICT[verdict]}** ${code(id)}: ${prose(text)}<br>${prose(figures)}${where}: ${prose(reason)}`;
}

function checkLine({ expression, verdict, reason }: Result['checks'][number]): string {
  return `- ${verdict === 'pass' ? '✅' : '❌'} **${verdict}** ${code(expression)}: ${prose(reason)}`;
}

function noteLine({ lane, text }: Result['notes'][number]): string {
  return `- ${lane === null ? '' : `${code(lane)}: `}${prose(text)}`;
}

/** Every series as a line of bars, of all lanes on one scale from 0. */
function course(lanes: readonly LaneResult[]): Block {
  const rows = SERIES.flatMap((name) => {
    const { title, format } = SERIES_TITLES[name];
    const spans = lanes.map(({ series }) => squeeze(series.tMs, series[name], BARS));
    const peaks = spans.map((values) => maximum(values));
    const top = maximum(peaks);
    if (top === null) return [];
    const cells = peaks.map((peak, i) => {
      if (peak === null) return NO_DATA;
      // Spaces at the ends of a code span are dropped, and several become one.
      const bars = sparkline(spans[i] ?? [], BARS, true, top).replaceAll(' ', '\u00A0');
      return `\`${bars}\` max ${prose(format(peak))}`;
    });
    return [row([prose(title), ...cells])];
  });
  return folded('Over time', rows, [
    row(['', ...lanes.map(({ agent }) => code(agent))]),
    row([':--', ...lanes.map(() => ':--')]),
  ]);
}

function maximum(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
}

function list(title: string, lines: readonly string[]): Block {
  return { head: title === '' ? [] : [title, ''], lines, foot: [] };
}

function folded(title: string, lines: readonly string[], head: readonly string[] = []): Block {
  return {
    head: ['<details>', `<summary>${title}</summary>`, '', ...head],
    lines,
    foot: ['', '</details>'],
  };
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
