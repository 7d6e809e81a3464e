import { formatDuration } from '../../base/duration.js';
import { formatSize } from '../../base/size.js';
import type { MetricUnit } from '../../results/compare/metrics.js';
import type { Row, RowVerdict, Samples } from '../../results/compare/row.js';
import { changeOf } from '../change.js';
import {
  formatMs,
  formatRate,
  formatRatio,
  formatSeconds,
  formatValue,
  NO_DATA,
} from '../numbers.js';

/** A verdict as a reader sees it. */
export const VERDICTS: Record<RowVerdict, string> = {
  worse: 'worse',
  better: 'better',
  different: 'different',
  'no-change': 'no change',
  undecided: 'undecided',
  'not-judged': 'not judged',
  void: 'no verdict',
  'no-data': 'no data',
};

export type Column = 'base' | 'head' | 'change' | 'p' | 'effect' | 'verdict';

/** The columns of a comparison, after the metric's name. */
export const COLUMNS: readonly Column[] = ['base', 'head', 'change', 'p', 'effect', 'verdict'];

/** The cells of a row by column. No text from outside is in them. */
export function cellsOf(row: Row): Record<Column, string> {
  const { unit, base, head, verdict } = row;
  return {
    base: medianText(base, unit) + intervalText(base, unit),
    head: medianText(head, unit) + intervalText(head, unit),
    change: changeText(row),
    p: pText(row),
    effect: effectText(row),
    verdict: VERDICTS[verdict],
  };
}

/** A row on one line, without intervals: `pollers.peak: 20 → 1, −95 %, better`. */
export function phraseOf(row: Row): string {
  const { metric, unit, base, head, verdict } = row;
  const sides = `${medianText(base, unit)} → ${medianText(head, unit)}`;
  return `${metric}: ${sides}, ${changeText(row)}, ${VERDICTS[verdict]}`;
}

/** Whether it is about something that happened on no side: 0, or never. */
export function isIdle({ base, head, unit }: Row): boolean {
  const isNothing = (value: number) =>
    value === 0 || (unit === 'instant' && !Number.isFinite(value));
  return [...base.values, ...head.values].every(isNothing);
}

/** Whether there is anything to show: a row without data on both sides says nothing. */
export function hasFigures({ base, head }: Row): boolean {
  return base.median !== null || head.median !== null;
}

function medianText({ median }: Samples, unit: MetricUnit): string {
  return median === null ? NO_DATA : FORMATS[unit](median);
}

/** Behind a median, the interval that holds it: ` [598, 601]`; nothing where all samples are equal. */
function intervalText({ median, interval }: Samples, unit: MetricUnit): string {
  if (median === null || interval === null) return '';
  const [low, high] = [interval.low, interval.high].map((end) => FORMATS[unit](end));
  // The unit stands once, behind the median, where it is the same.
  const suffix = UNIT.exec(FORMATS[unit](median))?.[0] ?? '';
  const bare = (text = '') =>
    text.endsWith(suffix) ? text.slice(0, -suffix.length || undefined) : text;
  return low === high ? '' : ` [${bare(low)}, ${bare(high)}]`;
}

const UNIT = /( ms| s|\/s|x| [KMGT]?i?B)$/;

function changeText({ base, head, unit, better }: Row): string {
  const [was, is] = [base.median, head.median];
  // Never and never again is no change.
  if (was !== null && was === is) return 'unchanged';
  // From or to "never" or "no answer" there is no percentage.
  if (was !== null && is !== null && !(Number.isFinite(was) && Number.isFinite(is))) {
    return `was ${FORMATS[unit](was)}, now ${FORMATS[unit](is)}`;
  }
  return changeOf(was, is, better ?? undefined).text;
}

function pText({ test, verdict }: Row): string {
  // Of too few samples p cannot be small, and would read as "no difference".
  if (test === null || verdict === 'undecided' || verdict === 'not-judged') return NO_DATA;
  return test.p < 0.001 ? '<0.001' : test.p.toFixed(3);
}

function effectText({ test, verdict }: Row): string {
  if (test === null || verdict === 'undecided' || verdict === 'not-judged') return NO_DATA;
  return `${test.effect > 0 ? '+' : test.effect < 0 ? '−' : ''}${Math.abs(test.effect).toFixed(2)}`;
}

const FORMATS: Record<MetricUnit, (value: number) => string> = {
  count: formatValue,
  rate: formatRate,
  ms: (value) => (Number.isFinite(value) ? `${formatMs(value)} ms` : 'no answer'),
  seconds: formatSeconds,
  bytes: formatSize,
  instant: (value) => (Number.isFinite(value) ? formatDuration(value) : 'never'),
  ratio: (value) => formatRatio(value, 1),
};
