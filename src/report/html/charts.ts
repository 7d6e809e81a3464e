import { cleanText } from '../../base/text.js';
import type { LaneResult, Result } from '../../results/schema.js';
import { SERIES } from '../../results/thin.js';
import { SERIES_TITLES, type SeriesName } from '../series.js';
import { html, type Markup } from './markup.js';

/** What the page's script draws: for every run its lanes, each with its points. */
export interface ChartData {
  runs: { lanes: { name: string; tMs: number[]; values: Record<string, (number | null)[]> }[] }[];
}

/** Latencies come one answer at a time: between two answers nothing is known, so points are drawn. */
const SPARSE: ReadonlySet<SeriesName> = new Set(['initLatencyMs', 'healthLatencyMs']);

export function chartData(results: readonly Result[]): ChartData {
  return {
    runs: results.map(({ lanes }) => ({
      lanes: lanes.map(({ agent, series: { tMs, ...values } }) => ({
        name: shortName(agent),
        tMs,
        values,
      })),
    })),
  };
}

/** A lane's name, short enough for a legend. */
export function shortName(agent: string): string {
  return cleanText(agent, 40);
}

/** The places of a run's charts, which the page's script fills. */
export function chartPlaces(result: Result, run: number): Markup {
  const measured = SERIES.filter((name) => result.lanes.some((lane) => hasData(lane, name)));
  const missing = SERIES.filter((name) => !measured.includes(name));
  return html`<div class="charts">${measured.map((name) => {
    const { title, unit } = SERIES_TITLES[name];
    return html`
<figure><figcaption>${title} ${SPARSE.has(name) ? html`<span class="quiet">ms, the longest since the sample before</span>` : ''}</figcaption>
<div class="chart" data-run="${run}" data-series="${name}" data-unit="${unit}" data-style="${SPARSE.has(name) ? 'points' : 'line'}" role="img" aria-label="${title} over time"></div></figure>`;
  })}
</div>${
    missing.length > 0
      ? html`<p class="quiet">Not measured: ${missing.map((n) => SERIES_TITLES[n].title).join(', ')}.</p>`
      : ''
  }`;
}

function hasData({ series }: LaneResult, name: SeriesName): boolean {
  return series[name].some((value) => value !== null);
}
