import type { Result } from '../results/schema.js';

/** A result as the JSON document that it is, ready to be read by a program; several as an array. */
export function renderJson(results: readonly Result[]): string {
  return `${JSON.stringify(results.length === 1 ? results[0] : results, null, 2)}\n`;
}
