import { UsageError } from './errors.js';
import { quoted } from './text.js';

const UNIT: ReadonlyMap<string, number> = new Map([
  ['B', 1],
  ['KiB', 2 ** 10],
  ['MiB', 2 ** 20],
  ['GiB', 2 ** 30],
  ['TiB', 2 ** 40],
  ['kB', 1e3],
  ['KB', 1e3],
  ['MB', 1e6],
  ['GB', 1e9],
  ['TB', 1e12],
]);

/**
 * Reads a size such as `512MiB`, `1GiB`, `1.5GB`.
 * @param text what was typed
 * @param name the flag or field, for the error text
 * @returns whole bytes, more than 0
 * @throws UsageError on anything else: no unit, zero, negative, more than 64 TiB
 */
export function parseSize(text: string, name: string): number {
  const mend = `Give it as ${name} 512MiB or 1GiB`;
  const shown = quoted(text);
  const match = /^(\d+(?:\.\d+)?)\s*([A-Za-z]*)$/.exec(text.trim());
  if (!match) throw new UsageError(`${name} ${shown} is not a size`, mend);
  if (!match[2]) {
    const number = match[1]?.slice(0, 20);
    throw new UsageError(`${name} ${shown} has no unit: ${number}MiB or ${number}GiB?`, mend);
  }
  const unit = UNIT.get(match[2]);
  if (unit === undefined) throw new UsageError(`${name} ${shown} has an unknown unit`, mend);
  const bytes = Math.round(Number(match[1]) * unit);
  if (!(bytes > 0)) throw new UsageError(`${name} must be more than 0, not ${shown}`, mend);
  if (bytes > 64 * 2 ** 40) throw new UsageError(`${name} ${shown} is more than 64TiB`, mend);
  return bytes;
}

/** Writes bytes with a binary unit: `512 MiB`, `1 GiB`, `56.3 MiB`. */
export function formatSize(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const round = (value: number): number => Math.round(value * 10) / 10;
  let value = bytes;
  let at = 0;
  while (round(value) >= 1024 && at < units.length - 1) {
    value /= 1024;
    at++;
  }
  return `${round(value)} ${units[at]}`;
}
