import type { LaneResult } from '../../results/schema.js';
import type { Evidence, Unjudged } from './claim.js';

/** Chooses the lanes that decide the claims. */
export function evidenceOf(result: Unjudged): Evidence {
  const { lanes } = result;
  const pileUp =
    lanes.find(({ guard }) => guard === 'unguarded') ??
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

function isBuiltInGuarded({ guard }: LaneResult): boolean {
  return guard !== null && guard !== 'unguarded';
}
