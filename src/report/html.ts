import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Check, Claim, LaneResult, Result } from '../results/schema.js';
import { changeOf } from './change.js';
import { machinePhrases, scenarioPhrases } from './headline.js';
import { chartData, chartPlaces, shortName } from './html/charts.js';
import { drawCharts } from './html/client.js';
import { html, inline, jsonIsland, type Markup } from './html/markup.js';
import { STYLE } from './html/style.js';
import { formatCount, formatMs, formatRate, formatValue } from './numbers.js';
import {
  ENOUGH_SAMPLES,
  hasFewSamples,
  hasOverload,
  isOverloaded,
  marked,
  markedFigure,
  OVERLOAD_LEGEND,
  OVERLOAD_MARK,
  rowsOf,
} from './rows.js';
import { type Outcome, verdictOf } from './verdict.js';

/** More lanes than this have no room in the tiles. */
const MOST_TILE_LANES = 3;

const OUTCOME: Record<Outcome, string> = {
  passed: 'Passed',
  failed: 'Failed',
  incomplete: 'Not conclusive',
  measured: 'Measured',
};

const BADGES: Record<Claim['verdict'] | Check['verdict'], Markup> = {
  reproduced: html`<span class="badge good">✔ reproduced</span>`,
  refuted: html`<span class="badge bad">✘ refuted</span>`,
  'not-applicable': html`<span class="badge">– not applicable</span>`,
  pass: html`<span class="badge good">✔ pass</span>`,
  fail: html`<span class="badge bad">✘ fail</span>`,
};

/** Figures that have a tile, by the label of their row. */
const TILES: readonly { label: string; title: string; value: (lane: LaneResult) => string }[] = [
  { label: 'pollers peak', title: 'pollers peak', value: (lane) => formatCount(lane.pollers.peak) },
  {
    label: 'connections/s peak',
    title: 'connections/s peak',
    value: (lane) => formatRate(lane.connections.perSecondPeak),
  },
  { label: 'ports peak', title: 'ports peak', value: (lane) => formatCount(lane.ports.peak) },
  {
    label: '/init p50/p99/max',
    title: '/init p99, ms',
    value: ({ init }) => formatMs(init.latencyMs.p99),
  },
];

/**
 * Results as one page that needs nothing beside itself: script, style and data are in it, and its
 * content policy allows no other script and no network. The tables are complete without the script,
 * which only draws the charts.
 */
export function renderHtml(results: readonly Result[]): string {
  const { script, style, notice } = chartLibrary();
  const styles = `${style}\n${STYLE}`;
  const scripts = `/*!\n${notice}*/\n${script}\n(${drawCharts})(window, uPlot);`;
  const several = results.length > 1;
  const page = html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy(scripts, styles)}">
<title>${titleOf(results)}</title>
<link rel="icon" href="data:,">
${inline('style', styles)}
</head>
<body>
<main>
<div class="bar"><h1>envd-bench</h1>
<label class="quiet"><input type="checkbox" id="logarithmic"> logarithmic charts</label></div>
${several ? contents(results) : ''}
${results.map((result, run) => section(result, run, several))}
<noscript><p>The charts need JavaScript. All figures are in the tables.</p></noscript>
</main>
${jsonIsland('data', chartData(results))}
${inline('script', scripts)}
</body>
</html>
`;
  return page.text;
}

/** The library that draws, its style, and the notice that its license asks for. */
function chartLibrary(): { script: string; style: string; notice: string } {
  const require = createRequire(import.meta.url);
  const read = (file: string) => readFileSync(require.resolve(`uplot/${file}`), 'utf8');
  return {
    script: read('dist/uPlot.iife.min.js'),
    style: read('dist/uPlot.min.css'),
    notice: read('LICENSE'),
  };
}

/** Nothing runs or loads but what this program wrote into the page, known by its hash. */
function policy(script: string, style: string): string {
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  return [
    "default-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${hash(style)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

function titleOf(results: readonly Result[]): string {
  const [first] = results;
  return results.length === 1 && first
    ? `envd-bench: ${OUTCOME[verdictOf(first).outcome].toLowerCase()}, ${scenarioPhrases(first.scenario).slice(0, 2).join(', ')}`
    : `envd-bench: ${results.length} results`;
}

function contents(results: readonly Result[]): Markup {
  return html`<ul class="card">${results.map((result, run) => {
    const { outcome } = verdictOf(result);
    return html`<li><a href="#run-${run}">${OUTCOME[outcome]}</a>: ${scenarioPhrases(result.scenario).slice(0, 4).join(', ')}</li>`;
  })}</ul>`;
}

function section(result: Result, run: number, several: boolean): Markup {
  const { lanes, claims, checks, notes, scenario, machine, tool } = result;
  const title = `Run ${result.id}`;
  return html`
<section id="run-${run}">
${several ? html`<h2>${title}</h2>` : ''}
${verdict(result)}
${lanes.length <= MOST_TILE_LANES ? tiles(lanes) : ''}
${headed('Over time', chartPlaces(result, run))}
${headed('Figures', figures(lanes))}
${claims.length > 0 ? headed('Claims', html`<ul class="card judged">${claims.map((one) => claim(one, lanes))}</ul>`) : ''}
${checks.length > 0 ? headed('Checks', html`<ul class="card judged">${checks.map(check)}</ul>`) : ''}
${notes.length > 0 ? headed('Notes', html`<ul class="card">${notes.map(note)}</ul>`) : ''}
${headed('Scenario', phrases(scenarioPhrases(scenario)))}
${headed('Machine', phrases(machinePhrases(machine)))}
<p class="quiet">envd-bench ${tool.version}, run ${result.id}, started ${result.startedAt}</p>
</section>`;
}

function headed(title: string, content: Markup): Markup {
  return html`<h3>${title}</h3>\n${content}`;
}

function phrases(texts: readonly string[]): Markup {
  return html`<ul class="card facts">${texts.map((text) => html`<li>${text}</li>`)}</ul>`;
}

function verdict(result: Result): Markup {
  const { outcome, reasons, claims } = verdictOf(result);
  return html`<div class="card verdict ${outcome}"><strong>${OUTCOME[outcome]}</strong>: ${reasons.join('; ')}.${
    claims === '' ? '' : html` Claims: ${claims}.`
  }
<p class="quiet">${scenarioPhrases(result.scenario).slice(0, 4).join(', ')}</p>
${result.lanes.map((lane, i) =>
  lane.trouble === null ? '' : html`<p class="bad">${laneName(lane, i)}: ${lane.trouble}</p>`,
)}</div>`;
}

function tiles(lanes: readonly LaneResult[]): Markup {
  return html`<div class="tiles">${TILES.map(
    ({ label, title, value }) =>
      html`<div class="card"><dl><dt>${title}</dt>${lanes.map(
        (lane, i) =>
          html`<dd>${laneName(lane, i)} <b>${markedFigure(label, lane, value(lane))}</b></dd>`,
      )}</dl></div>`,
  )}</div>`;
}

function laneName({ agent }: LaneResult, index: number): Markup {
  return html`<span class="lane lane-${index % 8}">${shortName(agent)}</span>`;
}

/** Two lanes are base and head: the change between them stands beside. */
function figures(lanes: readonly LaneResult[]): Markup {
  const [first, second] = lanes;
  const pair = lanes.length === 2 && first && second ? ([first, second] as const) : undefined;
  const legend = [
    'In brackets: predicted by the closed form.',
    ...(lanes.some(hasFewSamples)
      ? [`~: percentile of fewer than ${ENOUGH_SAMPLES} samples, hardly more than the maximum.`]
      : []),
    ...(lanes.some(hasOverload) ? [`${OVERLOAD_MARK}: ${OVERLOAD_LEGEND}.`] : []),
    ...(pair ? ['Change: from the first lane to the second; of percentiles, the p99.'] : []),
  ];
  return html`<div class="card scroll"><table class="figures">
<thead><tr><th></th>${lanes.map((lane, i) => html`<th>${laneName(lane, i)}</th>`)}${pair ? html`<th>change</th>` : ''}</tr></thead>
<tbody>${rowsOf(lanes).map(
    ({ label, cell, value, better }) => html`
<tr><th>${label}</th>${lanes.map((lane) => html`<td>${cell(lane)}</td>`)}${
      pair ? changeCell(value && changeOf(value(pair[0]), value(pair[1]), better)) : ''
    }</tr>`,
  )}
</tbody></table></div>
<p class="quiet">${legend.join(' ')}</p>`;
}

function changeCell(change: ReturnType<typeof changeOf> | undefined): Markup {
  if (!change) return html`<td></td>`;
  const { text, judged } = change;
  if (judged === null) return html`<td>${text}</td>`;
  return html`<td class="${judged === 'better' ? 'good' : 'bad'}">${text}, ${judged}</td>`;
}

function claim(
  { id, text, lane, predicted, measured, verdict, reason }: Claim,
  lanes: readonly LaneResult[],
): Markup {
  const where = lane === null ? '' : html` (${marked(shortName(lane), isOverloaded(lane, lanes))})`;
  return html`<li>${BADGES[verdict]}<div><p><code>${id}</code> ${text}</p>
<p class="quiet">predicted ${formatValue(predicted)}, measured ${formatValue(measured)}${where}: ${reason}</p></div></li>`;
}

function check({ expression, verdict, reason }: Check): Markup {
  return html`<li>${BADGES[verdict]}<p><code>${expression}</code> <span class="quiet">${reason}</span></p></li>`;
}

function note({ lane, text }: Result['notes'][number]): Markup {
  return html`<li>${lane === null ? '' : html`<code>${shortName(lane)}</code>: `}${text}</li>`;
}
