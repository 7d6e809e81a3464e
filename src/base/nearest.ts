import { closest, distance } from 'fastest-levenshtein';
import { UsageError } from './errors.js';
import { quoted } from './text.js';

/** The name that was probably meant, or undefined where none is near enough to help. */
export function nearest(typed: string, names: readonly string[]): string | undefined {
  // A name can be typed wrong in a few letters only; a long text costs quadratic time.
  const start = typed.slice(0, 64).toLowerCase();
  const guess = names.length > 0 ? closest(start, names) : undefined;
  return guess && distance(start, guess) <= Math.max(2, guess.length / 2) ? guess : undefined;
}

/**
 * Looks a name up in a registry.
 * @param kind what it names, for the error text, e.g. `fault`
 * @throws UsageError that names the nearest and all known names
 */
export function lookUp<T>(kind: string, typed: string, registry: ReadonlyMap<string, T>): T {
  const found = registry.get(typed);
  if (found !== undefined) return found;
  const names = [...registry.keys()];
  const guess = nearest(typed, names);
  throw new UsageError(
    `unknown ${kind} ${quoted(typed)}`,
    `${guess ? `Did you mean ${guess}? ` : ''}Known: ${names.join(', ')}`,
  );
}
