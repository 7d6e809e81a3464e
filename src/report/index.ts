import type { Result } from '../results/schema.js';
import { renderCsv } from './csv.js';
import { renderHtml } from './html.js';
import { renderJson } from './json.js';
import type { View } from './layout.js';
import { renderMarkdown } from './markdown.js';
import { renderTable } from './table.js';

/** A way of showing results. */
export interface ReportFormat {
  /** One line for help texts. */
  summary: string;
  /** Whole lines, the last one ended. A format that is no text for terminals ignores `view`. */
  render: (result: Result, view: View) => string;
  /** The same for several results in one document. */
  renderAll: (results: readonly Result[], view: View) => string;
}

/** All formats by name. A new one is a file in this folder and a line here. */
export const REPORT_FORMATS: ReadonlyMap<string, ReportFormat> = new Map([
  ['table', format('for a terminal', renderTables)],
  ['markdown', format('for a comment on GitHub', renderMarkdown)],
  ['html', format('a page with charts, in one file', renderHtml)],
  ['csv', format('one row a sample', renderCsv)],
  ['json', format('the result document itself, or an array of several', renderJson)],
]);

function format(summary: string, renderAll: ReportFormat['renderAll']): ReportFormat {
  return { summary, renderAll, render: (result, view) => renderAll([result], view) };
}

function renderTables(results: readonly Result[], view: View): string {
  return results.map((result) => renderTable(result, view)).join('\n');
}
