import { UsageError } from './errors.js';

const UNIT_MS: Record<string, number> = { us: 1e-3, µs: 1e-3, ms: 1, s: 1e3, m: 60e3, h: 3600e3 };
const PART = /(\d+(?:\.\d+)?|\.\d+)(us|µs|ms|s|m|h)/y;

/** The longest duration that is accepted: 24 days, in ms (timers of Node end at 24.8 days). */
export const LONGEST_MS = 24 * 24 * 3600e3;

/**
 * Reads a duration such as `100ms`, `1.5s`, `1m30s`, `250us`, `1h`.
 * @param text what was typed
 * @param name the flag or field, for the error text, e.g. `--interval`
 * @returns milliseconds, more than 0
 * @throws UsageError on anything else: no unit, zero, negative, too long
 */
export function parseDuration(text: string, name: string): number {
  const mend = `Give it as ${name} 100ms, 1.5s or 1m30s`;
  const shown = JSON.stringify(text);
  const trimmed = text.trim();
  if (trimmed === '') throw new UsageError(`${name} is empty`, mend);
  if (/^[+-]?\d+(\.\d+)?$/.test(trimmed)) {
    if (Number(trimmed) <= 0)
      throw new UsageError(`${name} must be more than 0, not ${shown}`, mend);
    throw new UsageError(`${name} ${shown} has no unit: ${trimmed}s or ${trimmed}ms?`, mend);
  }
  if (trimmed.startsWith('-')) {
    throw new UsageError(`${name} must be more than 0, not ${shown}`, mend);
  }
  let total = 0;
  let at = 0;
  let lastUnit = Number.POSITIVE_INFINITY;
  while (at < trimmed.length) {
    PART.lastIndex = at;
    const part = PART.exec(trimmed);
    const unit = UNIT_MS[part?.[2] ?? ''];
    // Units fall from left to right: 1m30s, never 30s1m or 5s5s.
    if (!part || unit === undefined || unit >= lastUnit) {
      throw new UsageError(`${name} ${shown} is not a duration`, mend);
    }
    total += Number(part[1]) * unit;
    lastUnit = unit;
    at = PART.lastIndex;
  }
  if (!(total > 0)) throw new UsageError(`${name} must be more than 0, not ${shown}`, mend);
  if (total > LONGEST_MS) throw new UsageError(`${name} ${shown} is longer than 24 days`, mend);
  return total;
}

/** Writes milliseconds as the shortest text that {@link parseDuration} reads back: `1m30s`, `100ms`. */
export function formatDuration(ms: number): string {
  if (ms < 1) return `${round(ms * 1e3)}us`;
  if (ms < 1e3) return `${round(ms)}ms`;
  if (ms < 60e3) return `${round(ms / 1e3)}s`;
  const hours = Math.floor(ms / 3600e3);
  const minutes = Math.floor((ms % 3600e3) / 60e3);
  const seconds = round((ms % 60e3) / 1e3);
  return `${hours ? `${hours}h` : ''}${minutes ? `${minutes}m` : ''}${seconds ? `${seconds}s` : ''}`;
}

function round(value: number): number {
  return Math.round(value * 1e3) / 1e3;
}
