import { formatDuration } from '../../base/duration.js';
import type { Plan, PlanAgent, PlanFigures } from '../../results/plan.js';
import { html, inline, type Markup } from '../html/markup.js';
import { STYLE } from '../html/style.js';
import { formatValue } from '../numbers.js';
import { PLAN_ROWS, planPhrases, planSentences } from './figures.js';

const CHARTS: readonly { title: string; value: (figures: PlanFigures) => number | null }[] = [
  { title: 'pollers peak', value: (f) => f.pollersPeak },
  { title: 'connections/s peak', value: (f) => f.connectionsPerSecondPeak },
  { title: 'connections total', value: (f) => f.connectionsTotal },
  { title: 'ports peak', value: (f) => f.ports.peak },
  { title: 'CPU peak, cores', value: (f) => f.cpuCoresPeak },
];

const WIDTH = 480;
const HEIGHT = 220;
const PAD = { left: 78, right: 14, top: 10, bottom: 26 };

const CHART_STYLE = `
svg.sweep { display: block; width: 100%; height: auto; }
.sweep line { stroke: var(--line); } .sweep text { fill: var(--quiet); font-size: 11px; }
.sweep polyline { fill: none; stroke: var(--lane); stroke-width: 2; }
.sweep circle { fill: var(--lane); }
.sweep .end { text-anchor: end; } .sweep .middle { text-anchor: middle; }
`;

/**
 * Plans as one page that needs nothing beside itself, in the style of the reports: for a sweep the
 * figures of one sandbox over the interval, then the tables.
 */
export function renderPlanHtml(plans: readonly Plan[]): string {
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>envd-bench plan</title>
<link rel="icon" href="data:,">
${inline('style', STYLE + CHART_STYLE)}
</head>
<body>
<main>
<h1>envd-bench plan</h1>
${plans.length > 1 ? sweep(plans) : ''}
${plans.map(section)}
</main>
</body>
</html>
`.text;
}

function sweep(plans: readonly Plan[]): Markup {
  const agents = plans[0]?.agents ?? [];
  return html`<h3>One sandbox, by the interval</h3>
<p>${agents.map((agent, i) => html`<span class="lane lane-${i % 8}">${agent.agent}</span> `)}</p>
<div class="charts">${CHARTS.filter(({ value }) =>
    agents.some((agent) => value(agent.perSandbox) !== null),
  ).map(
    ({ title, value }) => html`<figure><figcaption>${title}</figcaption>
${chart(plans, title, value)}</figure>`,
  )}</div>`;
}

/** Both axes are logarithmic: an interval's effect is a ratio. 0 lies on the lower edge. */
function chart(
  plans: readonly Plan[],
  title: string,
  value: (figures: PlanFigures) => number | null,
): Markup {
  const intervals = plans.map(({ input }) => input.intervalMs);
  const values = plans.flatMap(({ agents }) => agents.map((agent) => value(agent.perSandbox) ?? 0));
  const top = Math.ceil(Math.log10(Math.max(10, ...values)));
  const low = Math.log10(Math.min(...intervals));
  const span = Math.log10(Math.max(...intervals)) - low || 1;
  const x = (ms: number) =>
    round(PAD.left + ((Math.log10(ms) - low) / span) * (WIDTH - PAD.left - PAD.right));
  const y = (v: number) =>
    round(
      HEIGHT - PAD.bottom - (Math.log10(Math.max(1, v)) / top) * (HEIGHT - PAD.top - PAD.bottom),
    );
  const powers = Array.from({ length: top + 1 }, (_, power) => 10 ** power);
  const ticks = intervals.filter((_, i) => i % Math.ceil(intervals.length / 6) === 0);
  return html`<svg class="sweep" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title} by the interval">
${powers.map((v) => html`<line x1="${PAD.left}" x2="${WIDTH - PAD.right}" y1="${y(v)}" y2="${y(v)}"/><text class="end" x="${PAD.left - 6}" y="${y(v) + 4}">${v === 1 ? '≤ 1' : formatValue(v)}</text>`)}
${ticks.map((ms) => html`<text class="middle" x="${x(ms)}" y="${HEIGHT - 8}">${formatDuration(ms)}</text>`)}
${(plans[0]?.agents ?? []).map(({ agent }, i) => {
  const points = plans.flatMap(({ input, agents }) => {
    const figure = value(agents[i]?.perSandbox ?? NOTHING);
    return figure === null ? [] : [{ ms: input.intervalMs, figure }];
  });
  return html`<g class="lane-${i % 8}"><polyline points="${points.map(({ ms, figure }) => `${x(ms)},${y(figure)}`).join(' ')}"/>
${points.map(({ ms, figure }) => html`<circle cx="${x(ms)}" cy="${y(figure)}" r="3.5"><title>${agent}, ${formatDuration(ms)}: ${formatValue(figure)}</title></circle>`)}</g>`;
})}
</svg>`;
}

const NOTHING: PlanFigures = {
  pollersPeak: 0,
  connectionsPerSecondPeak: 0,
  connectionsTotal: 0,
  ports: { capacity: 0, peak: 0, peakLeast: null, exhaustedAtMs: null },
  cpuCoresPeak: null,
  memoryBytesPeak: null,
};

function section(plan: Plan): Markup {
  return html`<h3>Interval ${formatDuration(plan.input.intervalMs)}</h3>
<ul class="card facts">${planPhrases(plan).map((phrase) => html`<li>${phrase}</li>`)}</ul>
${plan.agents.map(agentTable)}`;
}

function agentTable(agent: PlanAgent, index: number): Markup {
  const sizes = [agent.perSandbox, agent.perHost, agent.fleet];
  return html`<div class="card scroll"><table class="figures">
<thead><tr><th><span class="lane lane-${index % 8}">${agent.agent}</span></th><th>per sandbox</th><th>per host</th><th>fleet</th></tr></thead>
<tbody>${PLAN_ROWS.map(
    ({ label, cell }) =>
      html`<tr><th>${label}</th>${sizes.map((figures) => html`<td>${cell(figures)}</td>`)}</tr>`,
  )}</tbody></table></div>
<p class="quiet">${planSentences(agent).join('. ')}.</p>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
