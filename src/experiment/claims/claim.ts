import type { Claim, LaneResult, Result } from '../../results/schema.js';

/** A result whose claims are yet to be judged. */
export type Unjudged = Omit<Result, 'claims'>;

/** What a claim is judged by. */
export interface Evidence {
  result: Unjudged;
  /** The lane in which pollers may pile up; undefined when every lane is guarded. */
  pileUp: LaneResult | undefined;
  /** The lane whose guard is judged; undefined when there is none. */
  guard: LaneResult | undefined;
}

export type Judgement = Omit<Claim, 'id' | 'text'>;

/** One sentence of the issue, the pull request or the review, and how a run decides it. */
export interface ClaimRule {
  id: string;
  text: string;
  judge(evidence: Evidence): Judgement;
}

type Value = Claim['predicted'];

/** What is known before the verdict. */
export interface Ground {
  lane: LaneResult | undefined;
  predicted: Value;
  measured: Value;
}

export function reproduced(ground: Ground, reason: string): Judgement {
  return { ...inDocument(ground), verdict: 'reproduced', reason };
}

export function refuted(ground: Ground, reason: string): Judgement {
  return { ...inDocument(ground), verdict: 'refuted', reason };
}

export function notApplicable(ground: Ground, reason: string): Judgement {
  return { ...inDocument(ground), verdict: 'not-applicable', reason };
}

function inDocument({ lane, predicted, measured }: Ground) {
  return { lane: lane?.agent ?? null, predicted, measured };
}
