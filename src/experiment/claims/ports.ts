import { issueStorm, timeToFillPortsMs } from '../../model/closed-form.js';
import { type ClaimRule, notApplicable, refuted, reproduced } from './claim.js';
import { show, showSeconds } from './figures.js';
import { pileUpObstacle } from './premise.js';

export const ports: ClaimRule = {
  id: 'ports',
  text: 'the ephemeral port range is exhausted',
  judge(evidence) {
    const { pileUp, result } = evidence;
    const { capacity = null, peak = null, exhaustedAtMs = null } = pileUp?.ports ?? {};
    const ground = { lane: pileUp, predicted: capacity, measured: peak };
    if (exhaustedAtMs !== null) {
      return reproduced(ground, `exhausted ${showSeconds(exhaustedAtMs)} after the start`);
    }
    const obstacle = pileUpObstacle(evidence);
    if (obstacle) return notApplicable(ground, obstacle);
    if (capacity === null || peak === null) {
      return notApplicable(ground, 'the ports were not measured');
    }
    const { intervalMs, outageMs } = result.scenario;
    const seen = `at most ${show(peak)} of ${show(capacity)} ports in use`;
    const fillMs = timeToFillPortsMs(capacity, issueStorm(intervalMs));
    // By the claim's own reckoning every attempt holds a port for 60 s: sooner it cannot happen.
    if (fillMs === null) {
      return notApplicable(ground, `${seen}; at this interval the claim's pollers never fill them`);
    }
    if (outageMs < fillMs) {
      const needed = `the claim's pollers need ${showSeconds(fillMs)} to fill them`;
      return notApplicable(ground, `${seen}; ${needed}, the outage was ${showSeconds(outageMs)}`);
    }
    return refuted(ground, `never exhausted: ${seen}`);
  },
};
