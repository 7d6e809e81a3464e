import type { Result } from '../results/schema.js';
import { renderJson } from './json.js';
import type { View } from './layout.js';
import { renderTable } from './table.js';

/** A way of showing a result. */
export interface ReportFormat {
  /** One line for help texts. */
  summary: string;
  /** Whole lines, the last one ended. A format that is no text for terminals ignores `view`. */
  render: (result: Result, view: View) => string;
}

/** All formats by name. A new one is a file in this folder and a line here. */
export const REPORT_FORMATS: ReadonlyMap<string, ReportFormat> = new Map([
  ['table', { summary: 'for a terminal', render: renderTable }],
  ['json', { summary: 'the result document itself', render: renderJson }],
]);
