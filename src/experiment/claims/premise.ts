import { formatDuration } from '../../base/duration.js';
import type { LaneResult, ScenarioRecord } from '../../results/schema.js';
import type { Evidence, Unjudged } from './claim.js';

const NO_LANE = 'no lane without a guard, so nothing could pile up';

/**
 * Why a claim about the pile-up cannot be judged from this run at all, or undefined when it can.
 * Such a claim speaks of a whole outage of MMDS.
 */
export function pileUpObstacle({ result, pileUp }: Evidence): string | undefined {
  if (!pileUp) return NO_LANE;
  return outageObstacle(result) ?? partObstacle(result, pileUp);
}

/** The same for what needs an outage, but not the whole of it. */
export function outageObstacle({ scenario }: Unjudged): string | undefined {
  const { fault } = scenario;
  const names = fault.split(',').map((step) => step.split(/[@:]/)[0]?.trim());
  if (names.every((name) => name === 'none')) return 'MMDS was available all the time';
  if (!names.includes('none')) return undefined;
  return `MMDS was available for a part of the time (${fault.slice(0, 200)})`;
}

/** Why a lane's figures are those of a part of the outage only, or undefined when they are not. */
export function partObstacle(result: Unjudged, lane: LaneResult): string | undefined {
  if (lane.trouble !== null) return `the lane had trouble: ${lane.trouble.slice(0, 200)}`;
  if (!result.complete) return 'the run was interrupted before the end of the outage';
  return undefined;
}

/** Says at which scale a claim is taken; empty where the run is the one the issue speaks of. */
export function scaleOf({ intervalMs, outageMs, bootPoller }: ScenarioRecord): string {
  const changes = [
    ...(intervalMs === 100 && outageMs === 60_000
      ? []
      : [
          `the claim scaled to an interval of ${formatDuration(intervalMs)} and an outage of ${formatDuration(outageMs)}`,
        ]),
    ...(bootPoller ? ['the boot poller counted in'] : []),
  ];
  return changes.length > 0 ? ` (${changes.join('; ')})` : '';
}
