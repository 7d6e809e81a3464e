import type { Comparison } from '../../results/compare/compare.js';
import type { View } from '../layout.js';
import { renderComparisonMarkdown } from './markdown.js';
import { renderComparisonTable } from './table.js';

/** A way of showing a comparison. */
export interface ComparisonFormat {
  /** One line for help texts. */
  summary: string;
  /** Whole lines, the last one ended. */
  render: (comparison: Comparison, view: View) => string;
}

/** All formats by name. A new one is a file in this folder and a line here. */
export const COMPARISON_FORMATS: ReadonlyMap<string, ComparisonFormat> = new Map([
  ['table', { summary: 'for a terminal', render: renderComparisonTable }],
  ['markdown', { summary: 'for a comment on GitHub', render: renderComparisonMarkdown }],
  ['json', { summary: 'the comparison as a document', render: renderJson }],
]);

/** What never happened is infinite, which JSON has not: it is null, as in the results. */
function renderJson(comparison: Comparison): string {
  return `${JSON.stringify(comparison, null, 2)}\n`;
}
