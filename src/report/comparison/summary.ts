import { type Comparison, isAnythingCompared } from '../../results/compare/compare.js';
import type { Row, RowVerdict } from '../../results/compare/row.js';
import { smallestP } from '../../results/compare/statistics.js';
import { isIdle, VERDICTS } from './cells.js';

/** More warnings than this are counted only. */
const SHOWN_WARNINGS = 12;

/** What a comparison came to. No text from outside is in it. */
export function outcomeOf({ limits, rows }: Comparison): string {
  const exceeded = limits.filter(({ verdict }) => verdict === 'fail').length;
  if (exceeded > 0) return `${exceeded} of ${limits.length} limits exceeded`;
  const has = (verdict: RowVerdict) => rows.some((row) => row.verdict === verdict);
  if (!isAnythingCompared({ rows })) return 'nothing could be compared';
  const outcome = judgedOutcome(has);
  return has('void') ? `${outcome}, and a lane without a verdict` : outcome;
}

function judgedOutcome(has: (verdict: RowVerdict) => boolean): string {
  if (has('worse')) return has('better') ? 'better and worse' : 'worse';
  if (has('better')) return 'better';
  if (has('different')) return 'different';
  return has('no-change') ? 'no change shown' : 'figures only, nothing shown';
}

/** How many metrics came out how: `2 worse, 40 no change`. */
export function countsOf({ rows }: Comparison): string {
  return Object.entries(VERDICTS)
    .map(([verdict, name]) => [rows.filter((row) => row.verdict === verdict).length, name] as const)
    .filter(([count, name]) => count > 0 && name !== VERDICTS['no-data'])
    .map(([count, name]) => `${count} ${name}`)
    .join(', ');
}

/** How many results each side has. */
export function sidesOf({ base, head }: Comparison): string {
  return `base ${base.length} and head ${head.length} result${head.length === 1 ? '' : 's'}`;
}

/** What a reader must know before the figures. Text from outside may be in it. */
export function warningsOf({ machineDifferences, warnings }: Comparison): string[] {
  const shown = warnings.slice(0, SHOWN_WARNINGS);
  const left = warnings.length - shown.length;
  return [
    ...(machineDifferences.length === 0
      ? []
      : [
          `different machines (${machineDifferences.join('; ')}): only counts and ratios within one run are judged`,
        ]),
    ...shown,
    ...(left > 0 ? [`and ${left} more warnings`] : []),
  ];
}

/** How to read the figures. No text from outside is in it. */
export function legendOf(comparison: Comparison): string[] {
  const { rows, alpha, base, head } = comparison;
  const judged = rows.filter((row) => JUDGED.has(row.verdict) && !isIdle(row)).length;
  const byChance = judged * alpha;
  const needed = neededSamples(alpha);
  return [
    ...(judged > 0
      ? [
          `p: Mann-Whitney U, two-sided; a difference counts as shown below ${alpha}. effect: Cliff's delta, from −1 (all of head below base) to +1`,
        ]
      : []),
    ...(byChance >= 1
      ? [
          `of ${judged} metrics about ${Math.round(byChance)} would look different by chance alone: look for those that matter to you`,
        ]
      : []),
    ...(rows.some(({ verdict }) => verdict === 'undecided')
      ? [
          `undecided: ${base.length} and ${head.length} samples cannot show a difference; ${needed} a side can (run --repeat ${needed})`,
        ]
      : []),
    ...(rows.some(({ verdict }) => verdict === 'void')
      ? ['no verdict: the lane had trouble, or its run was interrupted: its figures decide nothing']
      : []),
    ...(rows.some(isUnanswered)
      ? ['latencies are of all that was sent: no answer counts as longer than any answer']
      : []),
    ...(rows.some((row) => row.base.interval !== null || row.head.interval !== null)
      ? [`[ ]: interval of the median at ${intervalPercent(comparison)} % confidence`]
      : []),
  ];
}

const JUDGED: ReadonlySet<RowVerdict> = new Set(['worse', 'better', 'different', 'no-change']);

/** The confidence that all intervals have at least. */
function intervalPercent({ rows }: Comparison): number {
  const confidences = rows
    .flatMap((row) => [row.base.interval, row.head.interval])
    .flatMap((interval) => (interval === null ? [] : [interval.confidence]));
  return Math.floor(Math.min(...confidences) * 1000) / 10;
}

/** Whether it counts requests that got no answer. */
function isUnanswered({ metric, base, head }: Row): boolean {
  return /\.(timedOut|failed)$/.test(metric) && [...base.values, ...head.values].some((n) => n > 0);
}

function neededSamples(alpha: number): number {
  let a = 2;
  while (smallestP(a, a) >= alpha) a++;
  return a;
}
