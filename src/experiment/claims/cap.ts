import type { LaneResult } from '../../results/schema.js';
import { type ClaimRule, notApplicable, refuted, reproduced } from './claim.js';
import { show } from './figures.js';
import { partObstacle } from './premise.js';

export const cap: ClaimRule = {
  id: 'cap',
  text: 'with the guard, at most one poller',
  judge({ result, guard }) {
    const { bootPoller } = result.scenario;
    const most = bootPoller ? 2 : 1;
    const measured = guard?.pollers.peak ?? null;
    const ground = { lane: guard, predicted: most, measured };
    if (!guard) return notApplicable(ground, 'no lane with a guard');
    if (measured === null) return notApplicable(ground, 'the pollers were not measured');
    const counted = bootPoller ? ' (the boot poller, which no guard covers, is one of them)' : '';
    // Too many are too many, however the run ended.
    if (measured > most) {
      return refuted(ground, `${show(measured)} at once, more than ${most}${counted}`);
    }
    const obstacle =
      partObstacle(result, guard) ?? vacuity(accepted(guard), guard.connections.total);
    if (obstacle) return notApplicable(ground, obstacle);
    return reproduced(
      ground,
      `never more than ${most}${counted}, with ${show(accepted(guard))} /init accepted`,
    );
  },
};

/** `/init`s that could start a poller: envd answers 204 to those. */
function accepted({ init }: LaneResult): number {
  return init.statuses['204'] ?? 0;
}

/** Why few pollers prove nothing: an agent that does not poll at all would look like a perfect guard. */
function vacuity(initAccepted: number, attempts: number | null): string | undefined {
  if (initAccepted === 0) return 'no /init was accepted, so none could start a poller';
  if (initAccepted === 1) return 'one /init was accepted: there was nothing to hold back';
  if (attempts === null) return 'not known whether the agent polled at all';
  if (attempts === 0) return 'no attempt seen: the agent answered /init and never polled';
  return undefined;
}
