import type { LaneResult } from '../../results/schema.js';
import type { Evidence, Unjudged } from './claim.js';

const BUILT_IN_GUARDED = new Set(['guarded', 'guarded-pr', 'guarded-rearm']);

/** Chooses the lanes that decide the claims. */
export function evidenceOf(result: Unjudged): Evidence {
  const { lanes } = result;
  const pileUp =
    lanes.find((lane) => isBuiltIn(lane) && lane.agent === 'unguarded') ??
    lanes.find((lane) => !isBuiltInGuarded(lane));
  return { result, pileUp, guard: lanes.find(isBuiltInGuarded) ?? secondLane(lanes, pileUp) };
}

/** The second lane; where that is the one in which pollers pile up, the first. */
function secondLane(
  lanes: readonly LaneResult[],
  pileUp: LaneResult | undefined,
): LaneResult | undefined {
  if (lanes.length < 2) return undefined;
  return lanes[1] === pileUp ? lanes[0] : lanes[1];
}

function isBuiltInGuarded(lane: LaneResult): boolean {
  return isBuiltIn(lane) && BUILT_IN_GUARDED.has(lane.agent);
}

/** An external agent may bear any name, also one of ours. */
function isBuiltIn(lane: LaneResult): boolean {
  return lane.kind === 'reference';
}
