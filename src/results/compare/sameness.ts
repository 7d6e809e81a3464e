import { UsageError } from '../../base/errors.js';
import { cleanText } from '../../base/text.js';
import type { Result } from '../schema.js';

/** What the scenario records of the place and the number of the run: not of what was asked for. */
const NOT_ASKED = new Set(['isolation', 'isolationReason', 'repeat']);

/**
 * Makes sure that all results are whole and of one scenario.
 * @returns what is wrong with comparing them, as sentences; empty unless it was forced
 * @throws UsageError that names the first field that differs, unless `force` is set
 */
export function requireSameScenario(
  base: readonly Result[],
  head: readonly Result[],
  force: boolean,
): string[] {
  const [first, ...others] = [...base, ...head];
  if (first === undefined) return [];
  const found = [
    ...[first, ...others].filter(({ complete }) => !complete).map(partial),
    ...others.flatMap((other) => differences(asked(first), asked(other)).map(otherScenario(other))),
  ];
  const [one] = found;
  if (one === undefined) return [];
  if (!force) throw new UsageError(one, 'Compare what was asked alike, or give --force');
  return [...new Set(found)];
}

/** How the machines differ, as `cpus 2 and 4`; empty when all results come from machines alike. */
export function machineDifferences(base: readonly Result[], head: readonly Result[]): string[] {
  const [first, ...others] = [...base, ...head].map(place);
  if (first === undefined) return [];
  return [
    ...new Set(
      others.flatMap((other) =>
        differences(first, other).map(({ field, was, is }) => `${field} ${was} and ${is}`),
      ),
    ),
  ];
}

/** Where a result was measured, as far as it can change speeds. */
function place({ machine, scenario }: Result): Record<string, unknown> {
  return { ...machine, isolation: scenario.isolation };
}

function asked({ scenario }: Result): Record<string, unknown> {
  return Object.fromEntries(Object.entries(scenario).filter(([name]) => !NOT_ASKED.has(name)));
}

interface Difference {
  field: string;
  was: string;
  is: string;
}

function differences(a: Record<string, unknown>, b: Record<string, unknown>): Difference[] {
  return Object.keys(a).flatMap((field) => {
    const [was, is] = [a[field], b[field]].map((value) =>
      cleanText(typeof value === 'string' ? value : JSON.stringify(value), 60),
    );
    // Texts are compared whole: what is shown of them may be cut.
    const same = JSON.stringify(a[field]) === JSON.stringify(b[field]);
    return same || was === undefined || is === undefined ? [] : [{ field, was, is }];
  });
}

function partial({ id }: Result): string {
  return `${id} is partial: its run was interrupted`;
}

function otherScenario({ id }: Result): (difference: Difference) => string {
  return ({ field, was, is }) => `the scenarios differ: ${field} is ${was}, but ${is} in ${id}`;
}
