import { UsageError } from './errors.js';
import { quoted } from './text.js';

const UNIT_MS: Record<string, number> = { us: 1e-3, µs: 1e-3, ms: 1, s: 1e3, m: 60e3, h: 3600e3 };
const PART = /(\d+(?:\.\d+)?|\.\d+)(us|µs|ms|s|m|h)/y;

/** The longest duration that is accepted: 24 days, in ms (timers of Node end at 24.8 days). */
export const LONGEST_MS = 24 * 24 * 3600e3;

const NS_PER_MS = 1e6;

/**
 * Reads a duration such as `100ms`, `1.5s`, `1m30s`, `250us`, `1h`.
 * @param text what was typed
 * @param name the flag or field, for the error text, e.g. `--interval`
 * @returns milliseconds, more than 0, to the nanosecond
 * @throws UsageError on anything else: no unit, zero, negative, too short, too long
 */
export function parseDuration(text: string, name: string): number {
  const mend = `Give it as ${name} 100ms, 1.5s or 1m30s`;
  const shown = quoted(text);
  const trimmed = text.trim();
  if (trimmed === '') throw new UsageError(`${name} is empty`, mend);
  if (/^[+-]?(\d+(\.\d+)?|\.\d+)$/.test(trimmed)) {
    if (Number(trimmed) <= 0)
      throw new UsageError(`${name} must be more than 0, not ${shown}`, mend);
    const number = trimmed.slice(0, 20);
    throw new UsageError(`${name} ${shown} has no unit: ${number}s or ${number}ms?`, mend);
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
  // In binary 16.1 · 1000 is a little more than 16100: at 100 ms that made one /init too many.
  const wholeNs = Math.round(total * NS_PER_MS);
  if (wholeNs === 0) throw new UsageError(`${name} ${shown} is shorter than 1 ns`, mend);
  return wholeNs / NS_PER_MS;
}

/** Writes milliseconds as the shortest text that {@link parseDuration} reads back: `1m30s`, `100ms`. */
export function formatDuration(ms: number): string {
  // Rounded before it is compared: 59,999.9999 ms are 1m, not 60s.
  if (round(ms * 1e3) < 1e3) return `${round(ms * 1e3)}us`;
  if (round(ms) < 1e3) return `${round(ms)}ms`;
  const total = round(ms / 1e3);
  if (total < 60) return `${total}s`;
  const hours = Math.floor(total / 3600);
  const minutes = Math.floor((total % 3600) / 60);
  const seconds = round(total % 60);
  return `${hours ? `${hours}h` : ''}${minutes ? `${minutes}m` : ''}${seconds ? `${seconds}s` : ''}`;
}

/**
 * How many times an interval begins within a length of time, the first at once: ceil(length /
 * interval), exact for whole nanoseconds, where the quotient of two fractions of a millisecond is not.
 */
export function beginsWithin(lengthMs: number, intervalMs: number): number {
  return Math.ceil(Math.round(lengthMs * NS_PER_MS) / Math.round(intervalMs * NS_PER_MS));
}

function round(value: number): number {
  return Math.round(value * 1e3) / 1e3;
}
