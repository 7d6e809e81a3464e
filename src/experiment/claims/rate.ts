import { type ClaimRule, notApplicable, refuted, reproduced } from './claim.js';
import { show } from './figures.js';
import { claimedPile } from './pile.js';
import { pileUpObstacle, scaleOf } from './premise.js';

const TOLERANCE = 0.02;
/**
 * How far the last second's count may lie below the demand at the end before the span between them says
 * nothing: more than the tolerance on both sides, and anything at all would pass for the claim.
 */
const WIDEST = 2 * TOLERANCE;

export const rate: ClaimRule = {
  id: 'rate',
  text: '24,000 connections/s in all',
  judge(evidence) {
    const { scenario } = evidence.result;
    const claimed = claimedPile(scenario);
    const predicted = claimed.demandPerSecond;
    const measured = evidence.pileUp?.connections.perSecondPeak ?? null;
    const ground = { lane: evidence.pileUp, predicted, measured };
    const obstacle = pileUpObstacle(evidence);
    if (obstacle) return notApplicable(ground, obstacle);
    if (measured === null) return notApplicable(ground, 'the connections were not measured');
    // A rate is counted over a second, and pollers are still being added in the last one: what the
    // claim's own pollers make in it is the least that reproduces the claim.
    if (claimed.lastSecond < predicted * (1 - WIDEST)) {
      return notApplicable(
        ground,
        `too short to tell: within the last second the claim's own pollers rise to ${show(predicted)}/s, ` +
          `and make ${show(claimed.lastSecond)} in it${scaleOf(scenario)}`,
      );
    }
    const least = Math.min(claimed.lastSecond, predicted) * (1 - TOLERANCE);
    const most = predicted * (1 + TOLERANCE);
    const isReached = measured >= least && measured <= most;
    const reason =
      `${show(measured)}/s ${isReached ? '' : 'not '}between ${show(least)} and ${show(most)}: ` +
      `2 % about the last second's ${show(claimed.lastSecond)} and the end's ${show(predicted)}`;
    const scaled = reason + scaleOf(scenario);
    if (isReached) return reproduced(ground, scaled);
    const demand = evidence.pileUp?.predicted.connectionsPerSecondPeak ?? null;
    const isShort = demand !== null && demand >= least && measured < least;
    return refuted(
      ground,
      isShort
        ? `${scaled}; the pollers asked for ${show(demand)}/s, the machine and its ports gave less`
        : scaled,
    );
  },
};
