import type { Series } from '../../results/schema.js';
import { type ClaimRule, notApplicable, refuted, reproduced } from './claim.js';
import { show } from './figures.js';
import { CLAIMED_RATE } from './pile.js';
import { outageObstacle } from './premise.js';

const TOLERANCE = 0.02;
/** How far the two ends of the answer may lie apart before it says nothing. */
const WIDEST = 1.25;
const SECOND_MS = 1e3;

export const ratePerPoller: ClaimRule = {
  id: 'rate-per-poller',
  text: 'each poller makes 40 attempts/s',
  judge({ result, pileUp }) {
    const ground = { lane: pileUp, predicted: CLAIMED_RATE, measured: null };
    if (!pileUp) return notApplicable(ground, 'no lane without a guard');
    const obstacle = outageObstacle(result);
    if (obstacle) return notApplicable(ground, obstacle);
    if (pileUp.trouble !== null) {
      return notApplicable(ground, `the lane had trouble: ${pileUp.trouble.slice(0, 200)}`);
    }
    if (pileUp.pollers.source !== 'agent' && pileUp.pollers.source !== null) {
      return notApplicable(ground, 'the pollers over time were estimated from that very rate');
    }
    const peak = pileUp.connections.perSecondPeak;
    const crowd = pollersInBusiestSecond(pileUp.series);
    if (peak === null || crowd === undefined) {
      return notApplicable(ground, 'connections and pollers were not both measured');
    }
    if (crowd.most === 0) return notApplicable(ground, 'no poller in the busiest second');
    const measured = Math.round((peak / crowd.mean) * 10) / 10;
    const judged = { ...ground, measured };
    const from = peak / crowd.most;
    const to = peak / crowd.least;
    const isReached =
      from <= CLAIMED_RATE * (1 + TOLERANCE) && to >= CLAIMED_RATE * (1 - TOLERANCE);
    // Where the ends lie far apart, almost any rate is between them.
    if (crowd.least === 0 || (isReached && crowd.most > WIDEST * crowd.least)) {
      return notApplicable(
        judged,
        `the pollers went from ${crowd.least} to ${crowd.most} within the busiest second: too uneven to tell`,
      );
    }
    const reason =
      `${show(peak)}/s from ${show(crowd.least)} to ${show(crowd.most)} pollers are ` +
      `${show(from)} to ${show(to)} each, ${isReached ? '' : 'not '}within 2 % of ${CLAIMED_RATE}`;
    return isReached ? reproduced(judged, reason) : refuted(judged, reason);
  },
};

interface Crowd {
  least: number;
  most: number;
  mean: number;
}

/** The pollers in the second in which the connections were most, or undefined without samples. */
function pollersInBusiestSecond(series: Series): Crowd | undefined {
  const { tMs } = series;
  let busiest: { crowd: Crowd; rate: number } | undefined;
  let from = 0;
  for (const [i, end] of tMs.entries()) {
    while (from < i && (tMs[from] ?? end) <= end - SECOND_MS) from++;
    const rates = known(series.connectionsPerSecond.slice(from, i + 1));
    const pollers = known(series.pollers.slice(from, i + 1));
    if (rates.length === 0 || pollers.length === 0) continue;
    // The mean of a second: a sample after a stall shows a burst that no second ever had.
    const rate = mean(rates);
    // Of equals the last, when the pile is fullest.
    if (busiest && rate < busiest.rate) continue;
    const crowd = { least: Math.min(...pollers), most: Math.max(...pollers), mean: mean(pollers) };
    busiest = { crowd, rate };
  }
  return busiest?.crowd;
}

function known(values: readonly (number | null)[]): number[] {
  return values.filter((value) => value !== null);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
