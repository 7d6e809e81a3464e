import { UsageError } from '../../base/errors.js';
import { cleanText } from '../../base/text.js';
import type { LaneResult, Result } from '../schema.js';

/** A lane of the base and the lane of the head that it is compared with. */
export interface LanePair {
  base: string;
  head: string;
}

/**
 * Pairs the lanes of two sides: those of one name, or the one pair that was asked for.
 * @returns the pairs, and the names that only one side has
 * @throws UsageError when nothing is left to compare
 */
export function pairLanes(
  base: readonly Result[],
  head: readonly Result[],
  asked: LanePair | undefined,
): { pairs: LanePair[]; unpaired: string[] } {
  const [inBase, inHead] = [namesIn(base), namesIn(head)];
  if (asked) {
    requireLane(asked.base, inBase, 'base');
    requireLane(asked.head, inHead, 'head');
    return { pairs: [asked], unpaired: [] };
  }
  const common = inBase.filter((name) => inHead.includes(name));
  if (common.length === 0) {
    throw new UsageError(
      `no lane is in both: base has ${list(inBase)}; head has ${list(inHead)}`,
      'Say which to compare: --base-lane NAME --head-lane NAME',
    );
  }
  const unpaired = [...inBase, ...inHead].filter((name) => !common.includes(name));
  return { pairs: common.map((name) => ({ base: name, head: name })), unpaired };
}

/** A result's lane of that name; the first, should a hand-made result have two. */
export function laneOf(result: Result, name: string): LaneResult | undefined {
  return result.lanes.find(({ agent }) => agent === name);
}

function namesIn(results: readonly Result[]): string[] {
  return [...new Set(results.flatMap(({ lanes }) => lanes.map(({ agent }) => agent)))];
}

function requireLane(name: string, names: readonly string[], side: string): void {
  if (names.includes(name)) return;
  throw new UsageError(
    `the ${side} has no lane ${JSON.stringify(cleanText(name, 60))}`,
    `It has ${list(names)}`,
  );
}

function list(names: readonly string[]): string {
  const shown = names.slice(0, 4).map((name) => cleanText(name, 40));
  return [...shown, ...(names.length > shown.length ? ['…'] : [])].join(', ');
}
