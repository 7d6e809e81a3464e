import type { LaneResult, ScenarioRecord } from '../../results/schema.js';
import { type ClaimRule, notApplicable, refuted, reproduced } from './claim.js';
import { show, showSeconds } from './figures.js';
import { partObstacle } from './premise.js';

export const repoll: ClaimRule = {
  id: 'repoll',
  text: 'after the poller ends, a later /init polls again',
  judge({ result, guard }) {
    const { scenario } = result;
    // The boot poller is none that an /init started.
    const boot = scenario.bootPoller ? 1 : 0;
    const spawned = guard?.pollers.spawned ?? null;
    const ground = { lane: guard, predicted: 2 + boot, measured: spawned };
    if (!guard) return notApplicable(ground, 'no lane with a guard');
    if (spawned === null) return notApplicable(ground, 'the pollers started were not counted');
    const counted = boot ? ', the boot poller among them' : '';
    // A second poller is proof, however the run ended.
    if (spawned >= 2 + boot) {
      const { peak } = guard.pollers;
      if (peak === null || peak > 1 + boot) {
        const most = peak === null ? 'an unknown number' : show(peak);
        return notApplicable(ground, `${most} polled at once, so none had to end for the next`);
      }
      return reproduced(ground, `${show(spawned)} pollers one after the other${counted}`);
    }
    const obstacle = partObstacle(result, guard) ?? attemptObstacle(guard);
    if (obstacle) return notApplicable(ground, obstacle);
    const endedMs = lastAliveMs(guard);
    const askedMs = lastInitMs(scenario, guard);
    if (endedMs === undefined || askedMs === undefined || askedMs <= endedMs) {
      return notApplicable(ground, 'its poller did not end before the last /init');
    }
    return refuted(
      ground,
      `no poller after ${showSeconds(endedMs)}, though /init was sent until ${showSeconds(askedMs)}${counted}`,
    );
  },
};

function attemptObstacle({ init, connections }: LaneResult): string | undefined {
  if (init.answered === null) return 'the /init answered were not counted';
  if (init.answered < 2) return 'there was no later /init';
  if (connections.total === 0) return 'no attempt seen: the agent never polled';
  return undefined;
}

/**
 * When a poller was last seen alive, ms; undefined when one is until the end, or nobody looked.
 * 0 for a poller that came and went between two samples.
 */
function lastAliveMs({ series, agentCount }: LaneResult): number | undefined {
  const last = series.pollers.findLastIndex((pollers) => pollers !== null);
  if (last < 0 || series.pollers[last] !== 0) return undefined;
  const alive = series.pollers.findLastIndex((pollers) => pollers !== null && pollers > 0);
  if (alive >= 0) return series.tMs[alive];
  const ended = (agentCount?.pollersFinished ?? 0) + (agentCount?.pollersExpired ?? 0);
  return ended > 0 ? 0 : undefined;
}

/** When the last `/init` was due, ms; the orchestrator's loop has no such instant. */
function lastInitMs(
  { retry, intervalMs }: ScenarioRecord,
  { init }: LaneResult,
): number | undefined {
  const { sent } = init;
  return retry === 'fixed' && sent !== null && sent > 0 ? (sent - 1) * intervalMs : undefined;
}
