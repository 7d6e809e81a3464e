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
  'no-data': 'no data',
};

/** The columns of a comparison, after the metric's name. */
export const COLUMNS = ['base', 'head', 'change', 'p', 'effect', 'verdict'] as const;

/** The cells of a row, in the order of {@link COLUMNS}. No text from outside is in them. */
export function cellsOf(row: Row): string[] {
  const { unit, base, head, verdict } = row;
  return [
    sideText(base, unit),
    sideText(head, unit),
    changeText(row),
    pText(row),
    effectText(row),
    VERDICTS[verdict],
  ];
}

/** Whether there is anything to show: a row without data on both sides says nothing. */
export function hasFigures({ base, head }: Row): boolean {
  return base.median !== null || head.median !== null;
}

/** The median, and where there are several samples the interval that holds it: `600 [598, 601]`. */
function sideText({ median, interval }: Samples, unit: MetricUnit): string {
  if (median === null) return NO_DATA;
  const text = FORMATS[unit](median);
  if (interval === null || interval.low === interval.high) return text;
  return `${text} [${bare(FORMATS[unit](interval.low))}, ${bare(FORMATS[unit](interval.high))}]`;
}

function changeText({ base, head, unit, better }: Row): string {
  const [was, is] = [base.median, head.median];
  // From or to "never" there is no percentage.
  if (was !== is && was !== null && is !== null && !(Number.isFinite(was) && Number.isFinite(is))) {
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
  ms: (value) => `${formatMs(value)} ms`,
  seconds: formatSeconds,
  bytes: formatSize,
  instant: (value) => (Number.isFinite(value) ? formatDuration(value) : 'never'),
  ratio: (value) => formatRatio(value, 1),
};

/** The unit stands once, behind the median. */
function bare(text: string): string {
  return text.replace(/( ms| s|\/s|x)$/, '');
}
