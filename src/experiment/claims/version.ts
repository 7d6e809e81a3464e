import { type ClaimRule, notApplicable, refuted, reproduced } from './claim.js';

export const version: ClaimRule = {
  id: 'version',
  text: 'a behaviour change needs another X-Envd-Version',
  judge({ pileUp, guard }) {
    const [before, after] = [pileUp?.version ?? null, guard?.version ?? null];
    const ground = { lane: undefined, predicted: 'different versions', measured: null };
    if (!pileUp || !guard) return notApplicable(ground, 'no two lanes to compare');
    if (before === null || after === null) {
      return notApplicable(ground, 'not both lanes answered with an X-Envd-Version');
    }
    const measured = `${before.slice(0, 64)}, ${after.slice(0, 64)}`;
    return before === after
      ? refuted({ ...ground, measured }, 'both lanes answer with the same version')
      : reproduced({ ...ground, measured }, 'the two lanes answer with different versions');
  },
};
