import { cleanText } from '../../base/text.js';
import type { PlanCheck, PlanCheckLane, PlanComparison } from '../../results/plan.js';
import { type Grid, renderGrid, renderStack } from '../grid.js';
import { toAscii, type View, wrap } from '../layout.js';
import { code } from '../markdown/escape.js';
import { formatValue, NO_DATA, plural } from '../numbers.js';

const MARK: Record<PlanComparison['verdict'], string> = {
  pass: '✔',
  fail: '✘',
  'no data': '–',
  'no verdict': '–',
};

/** Predicted against measured, for a terminal. */
export function renderPlanCheck(check: PlanCheck, view: View): string {
  const { head, rows } = gridOf(check);
  const lines = renderGrid({ head, rows }, view) ?? renderStack({ head, rows }, 2, view);
  const skipped = check.lanes.flatMap(({ fault, agent, skipped }) =>
    skipped === null
      ? []
      : wrap(cleanText(`not compared: ${fault} ${agent}: ${skipped}`), view.columns, '  '),
  );
  const legend = wrap('measured / predicted (error)', view.columns, '  ');
  const header = wrap(headerOf(check), view.columns, '  ');
  const text = `${[...header, '', ...lines, ...legend, ...skipped].join('\n')}\n`;
  return view.unicode ? text : toAscii(text);
}

/** The same as a markdown table. */
export function renderPlanCheckMarkdown(check: PlanCheck): string {
  const { head, rows } = gridOf(check);
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  const body = rows.map(([fault = '', agent = '', ...cells]) =>
    line([code(fault), code(agent), ...cells]),
  );
  return line(head) + line(head.map((_, i) => (i < 2 ? '---' : '---:'))) + body.join('');
}

/** What was held against what. */
function headerOf({ lanes, calibration }: PlanCheck): string {
  const compared = lanes.filter(({ skipped }) => skipped === null);
  const failed = compared.filter(({ comparisons }) =>
    comparisons.some(({ verdict }) => verdict === 'fail'),
  );
  const by =
    calibration === null
      ? 'not calibrated: the machine has no limits'
      : `calibrated by ${plural(calibration.results.length, 'result')}`;
  return `the model against measured runs: ${plural(compared.length, 'lane')} compared, ${failed.length} further off than allowed, ${lanes.length - compared.length} not compared (${by})`;
}

function gridOf({ lanes }: PlanCheck): Grid {
  const compared = lanes.filter(({ skipped }) => skipped === null);
  const figures = compared[0]?.comparisons.map(({ figure }) => figure) ?? [];
  return {
    head: ['fault', 'agent', ...figures, 'series off by'],
    rows: compared.map((lane) => [
      cleanText(lane.fault, 40),
      cleanText(lane.agent, 40),
      ...lane.comparisons.map(cell),
      seriesCell(lane),
    ]),
  };
}

function cell({ measured, predicted, range, error, verdict }: PlanComparison): string {
  if (range !== null) {
    const [least, most] = range;
    return `${MARK[verdict]} ${whole(measured)} / ${whole(least)} to ${whole(most)} (a race)`;
  }
  if (verdict === 'no verdict') return `${MARK[verdict]} ${whole(measured)} / a race`;
  if (measured === null && predicted === null) return `${MARK[verdict]} never`;
  const off = error === null ? '' : ` (${percent(error)})`;
  return `${MARK[verdict]} ${whole(measured)} / ${whole(predicted)}${off}`;
}

/** Of pollers, connections/s and ports: the mean distance of the series. */
function seriesCell({ series }: PlanCheckLane): string {
  return [series.pollers, series.connectionsPerSecond, series.portsInUse]
    .map((share) => (share === null ? NO_DATA : percent(share, false)))
    .join(', ');
}

function whole(value: number | null): string {
  return formatValue(value === null ? null : Math.round(value));
}

function percent(share: number, signed = true): string {
  const value = (share * 100).toFixed(1);
  return `${signed && share > 0 ? '+' : ''}${value} %`;
}
