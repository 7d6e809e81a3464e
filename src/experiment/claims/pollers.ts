import { type ClaimRule, notApplicable, refuted, reproduced } from './claim.js';
import { show } from './figures.js';
import { claimedPile } from './pile.js';
import { pileUpObstacle, scaleOf } from './premise.js';

const TOLERANCE = 0.01;

export const pollers: ClaimRule = {
  id: 'pollers',
  text: 'at a 100 ms interval, 60 s of outage make 600 concurrent pollers',
  judge(evidence) {
    const { scenario } = evidence.result;
    const predicted = claimedPile(scenario).pollers;
    const measured = evidence.pileUp?.pollers.peak ?? null;
    const ground = { lane: evidence.pileUp, predicted, measured };
    const obstacle = pileUpObstacle(evidence);
    if (obstacle) return notApplicable(ground, obstacle);
    if (predicted < 2) return notApplicable(ground, 'a single /init makes no pile');
    if (measured === null) return notApplicable(ground, 'the pollers were not measured');
    if (evidence.pileUp?.pollers.source === 'kernel') {
      return notApplicable(ground, 'the pollers are an estimate, with no stack dump to count them');
    }
    // One /init more or less may fall to either side of the end.
    const within = Math.max(1, predicted * TOLERANCE);
    const bound = within === 1 ? '1' : '1 %';
    const isReached = Math.abs(measured - predicted) <= within;
    const reason = `${show(measured)} ${isReached ? '' : 'not '}within ${bound} of ${show(predicted)}${scaleOf(scenario)}`;
    return isReached ? reproduced(ground, reason) : refuted(ground, reason);
  },
};
