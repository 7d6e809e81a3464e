import { UsageError } from '../../base/errors.js';
import { nearest } from '../../base/nearest.js';
import { quoted } from '../../base/text.js';
import { METRICS } from './metrics.js';
import type { Row, Samples } from './row.js';

/** How much worse a metric may get, e.g. `init.latencyMs.p99=10%`. */
export interface RegressionLimit {
  /** As it was typed. */
  expression: string;
  /** Only this lane; null for every lane. */
  lane: string | null;
  metric: string;
  percent: number;
}

/** How a limit came out in one row. */
export interface LimitCheck {
  expression: string;
  /** The row's label. */
  label: string;
  metric: string;
  /** `not-judged`: the two machines differ, and no ratio within one run stands in. */
  verdict: 'pass' | 'fail' | 'not-judged';
  /** One sentence. */
  reason: string;
}

const EXAMPLE = 'Give it as --max-regression init.latencyMs.p99=10%';
const LONGEST = 512;

/**
 * Reads limits: `METRIC=N%`, or `LANE.METRIC=N%` for one lane only.
 * @throws UsageError in one line for the first that is none, or whose metric is not compared
 */
export function parseLimits(texts: readonly string[]): RegressionLimit[] {
  return texts.map((text) => {
    const expression = text.trim();
    const shown = `--max-regression ${quoted(text)}`;
    const match = /^([^=]+)=\s*(\d{1,9}(?:\.\d{1,9})?)\s*%$/.exec(expression.slice(0, LONGEST));
    const field = match?.[1]?.trim();
    if (!field) throw new UsageError(`${shown} is no metric and percentage`, EXAMPLE);
    // Names of lanes may contain dots: the metric is what the text ends with.
    const names = [...METRICS.keys()];
    const metric = names.find((name) => field === name || field.endsWith(`.${name}`));
    if (metric === undefined) {
      const guess = nearest(field, names);
      throw new UsageError(
        `${shown}: ${quoted(field)} is not compared`,
        `${guess ? `Did you mean ${guess}? ` : ''}${EXAMPLE}`,
      );
    }
    if (METRICS.get(metric)?.better === null) {
      throw new UsageError(`${shown}: of ${metric}, neither more nor less is worse`, EXAMPLE);
    }
    const lane = field === metric ? null : field.slice(0, -metric.length - 1);
    return { expression, lane, metric, percent: Number(match?.[2]) };
  });
}

/**
 * Holds limits against the rows. A limit is exceeded when the median got worse by more, and the
 * difference is more than chance: shown by the test, or, of too few samples for any test, without
 * an overlap of the two sides.
 * @throws UsageError for a limit on a lane that is not compared
 */
export function judgeLimits(
  limits: readonly RegressionLimit[],
  rows: readonly Row[],
): LimitCheck[] {
  return limits.flatMap((limit) => {
    const about = rows.filter(
      ({ metric, lanes }) =>
        metric === limit.metric && (limit.lane === null || lanes.includes(limit.lane)),
    );
    if (about.length === 0) {
      throw new UsageError(
        `--max-regression ${quoted(limit.expression)}: no lane ${quoted(limit.lane ?? '')} is compared`,
        EXAMPLE,
      );
    }
    const judged = about.filter(({ verdict }) => verdict !== 'not-judged');
    // Where ratios stand in for speeds, those of the first lane have none and need none.
    return (judged.length > 0 ? judged : about).map((row) => judge(limit, row));
  });
}

function judge({ expression, percent }: RegressionLimit, row: Row): LimitCheck {
  const { label, metric, verdict } = row;
  const came = (outcome: LimitCheck['verdict'], reason: string): LimitCheck => ({
    expression,
    label,
    metric,
    verdict: outcome,
    reason,
  });
  if (verdict === 'void') {
    return came('fail', 'no verdict: the lane had trouble, or its run was interrupted');
  }
  const worse = worsening(row);
  if (worse === null) return came('fail', 'no data');
  if (verdict === 'not-judged') {
    return came('not-judged', 'speeds of two machines say nothing about the change');
  }
  const isSingle = row.base.values.length === 1 && row.head.values.length === 1;
  // Of one value a side there is no spread: only the ratio can decide, and the reader must know it.
  const doubt = isSingle
    ? `; ${ONE_RUN}`
    : verdict === 'undecided'
      ? ', though of too few samples to be sure'
      : '';
  if (worse <= 0) return came('pass', `${change(row)}, not worse${isSingle ? doubt : ''}`);
  if (worse <= percent + ROUNDING) {
    return came('pass', `${change(row)}, within ${percent} %${isSingle ? doubt : ''}`);
  }
  const isShown = verdict === 'worse' || (verdict === 'undecided' && isApart(row));
  if (!isShown) return came('pass', `${change(row)}, but no more than chance`);
  return came('fail', `${change(row)}, more than the ${percent} % allowed${doubt}`);
}

/** Two runs of one binary differ too: by how much, one run a side cannot tell. */
const ONE_RUN = 'one run a side: no statement about noise';

/** What binary fractions add to a percentage, which must not decide. */
const ROUNDING = 1e-9;

/**
 * How much worse the head's median is, in percent of the base's; negative when it is better.
 * From 0, or from never, to anything worse is infinitely much.
 */
function worsening({ base, head, better }: Row): number | null {
  if (base.median === null || head.median === null) return null;
  if (base.median === head.median) return 0;
  const sign = better === 'more' ? -1 : 1;
  const share = (sign * (head.median - base.median)) / base.median;
  if (Number.isFinite(share)) return share * 100;
  const isWorse = head.median > base.median === (better === 'less');
  return isWorse ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
}

/** `+12 %`, `20.0x`, `was 0`, `was never`, `now no answer`: of the medians. */
function change({ base, head, unit }: Row): string {
  const [was, is] = [base.median ?? 0, head.median ?? 0];
  if (was === is) return 'unchanged';
  if (was === 0) return 'was 0';
  const endless = unit === 'instant' ? 'never' : 'no answer';
  if (was === Number.POSITIVE_INFINITY) return `was ${endless}`;
  if (is === Number.POSITIVE_INFINITY) return `now ${endless}`;
  if (is / was >= 2) return `${(is / was).toFixed(1)}x`;
  const percent = Math.abs(is / was - 1) * 100;
  return `${is > was ? '+' : '−'}${percent.toFixed(percent < 10 ? 1 : 0)} %`;
}

/** Whether every value of the head is worse than every value of the base. */
function isApart({ base, head, better }: Row): boolean {
  const [low, high]: [Samples, Samples] = better === 'more' ? [head, base] : [base, head];
  return Math.max(...low.values) < Math.min(...high.values);
}
