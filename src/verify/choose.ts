import { UsageError } from '../base/errors.js';
import { lookUp } from '../base/nearest.js';
import type { Scenario } from './scenario.js';
import { scenarios } from './scenarios/index.js';

/**
 * Chooses scenarios, in the order of the index.
 * @param only comma lists of names; all when there are none
 * @param skip comma lists of names that are left out
 * @throws UsageError on an unknown name, or when nothing is left
 */
export function chooseScenarios(only: readonly string[], skip: readonly string[]): Scenario[] {
  const wanted = named(only);
  const unwanted = named(skip);
  const chosen = [...scenarios.values()].filter(
    ({ name }) => (wanted.size === 0 || wanted.has(name)) && !unwanted.has(name),
  );
  if (chosen.length > 0) return chosen;
  throw new UsageError('--only and --skip leave no scenario', 'Leave one of them out');
}

function named(lists: readonly string[]): Set<string> {
  const names = lists.flatMap((list) => list.split(','));
  return new Set(names.map((name) => lookUp('scenario', name.trim(), scenarios).name));
}
