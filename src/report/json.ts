import type { Result } from '../results/schema.js';

/** A result as the JSON document that it is, ready to be read by another program. */
export function renderJson(result: Result): string {
  return `${JSON.stringify(result, null, 2)}\n`;
}
