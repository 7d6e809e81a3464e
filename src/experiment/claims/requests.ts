import { LIFETIME_MS } from '../../model/facts.js';
import { type ClaimRule, notApplicable, refuted, reproduced } from './claim.js';
import { show, showSeconds } from './figures.js';
import { pileUpObstacle } from './premise.js';

/** 60 s of ticks, one request each. */
const CLAIMED = 1200;

export const requests: ClaimRule = {
  id: 'requests',
  text: 'a poller makes up to 1,200 requests in its life',
  judge(evidence) {
    const { pileUp, result } = evidence;
    const counts = pileUp?.agentCount ?? null;
    const measured = counts?.attemptsPerPollerMax ?? null;
    const ground = { lane: pileUp, predicted: CLAIMED, measured };
    if (!pileUp) return notApplicable(ground, 'no lane without a guard');
    if (counts === null || measured === null) {
      return notApplicable(ground, 'the agent does not count the attempts of each poller');
    }
    const { bootPoller, outageMs } = result.scenario;
    if (measured > CLAIMED) {
      // The boot poller has no time limit, and the claim is not about it.
      if (bootPoller && outageMs > LIFETIME_MS) {
        return notApplicable(ground, `${show(measured)} may be those of the boot poller`);
      }
      // One poller beyond it is enough, however the run ended.
      return refuted(ground, `one poller made ${show(measured)}, more than ${show(CLAIMED)}`);
    }
    const obstacle = pileUpObstacle(evidence);
    if (obstacle) return notApplicable(ground, obstacle);
    if (outageMs < LIFETIME_MS) {
      const seen = `${show(measured)} in ${showSeconds(outageMs)}`;
      return notApplicable(ground, `no poller lived its 60 s: at most ${seen}`);
    }
    if (counts.pollersFinished > 0 && counts.pollersExpired === 0) {
      return notApplicable(ground, 'every poller was answered before its 60 s were over');
    }
    return reproduced(ground, `at most ${show(measured)}, not more than ${show(CLAIMED)}`);
  },
};
