import { messageOf, UsageError } from '../base/errors.js';
import { lookUp } from '../base/nearest.js';
import { readSmallFile } from '../base/small-file.js';
import { cleanText, quoted } from '../base/text.js';

/** What a flag takes: one text, several, or nothing. */
export type FlagShape = 'text' | 'texts' | 'switch';

/**
 * Reads a scenario file: a JSON object whose names are those of the flags, e.g.
 * `{"interval": "100ms", "agent": ["unguarded", "mine=./envd -isnotfc"], "boot-poller": true}`. The
 * values are what would be typed, and are read by the same parsers.
 * @param flags the flags that a scenario is made of
 * @throws UsageError in one line: no such file, not JSON, an unknown name, a value of another type
 */
export function readScenarioFile(
  file: string,
  flags: ReadonlyMap<string, FlagShape>,
): Record<string, string | string[] | boolean> {
  const mend = 'Give it as {"interval": "100ms", "fault": "refused", "agent": ["unguarded"]}';
  const document = parse(file, mend);
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new UsageError(`the scenario ${quoted(file)} is not a JSON object`, mend);
  }
  return Object.fromEntries(
    Object.entries(document).map(([name, value]) => {
      const shape = lookUp('name in the scenario', name, flags);
      return [name, valueFor(name, value, shape, mend)];
    }),
  );
}

function valueFor(
  name: string,
  value: unknown,
  shape: FlagShape,
  mend: string,
): string | string[] | boolean {
  if (shape === 'switch' && typeof value === 'boolean') return value;
  if (shape === 'text' && typeof value === 'string') return value;
  if (shape === 'texts') {
    if (typeof value === 'string') return [value];
    if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
  }
  const wanted = { text: 'a text', texts: 'a text or a list of them', switch: 'true or false' };
  throw new UsageError(`${name} in the scenario must be ${wanted[shape]}`, mend);
}

function parse(file: string, mend: string): unknown {
  try {
    return JSON.parse(readSmallFile(file, true));
  } catch (thrown) {
    throw new UsageError(
      `cannot read the scenario ${quoted(file)}: ${cleanText(messageOf(thrown))}`,
      mend,
    );
  }
}
