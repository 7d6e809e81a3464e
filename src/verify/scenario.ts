import type { Verdict } from '../results/verify.js';
import type { Stage } from './stage.js';

/** What came of one run of a scenario. */
export interface Outcome {
  verdict: Verdict;
  /** One sentence for a reviewer. */
  reason: string;
}

/** One promise that a guard must keep, and how it is put to the test. */
export interface Scenario {
  name: string;
  /** One line for the help. */
  summary: string;
  /** The fault at the start; `none` when left out. */
  firstFault?: string;
  /** Whether nothing else may run beside it, because it looks at how fast answers come. */
  isAlone?: boolean;
  /**
   * Puts it to the test on a live agent.
   * @throws MissedMoment when the machine was too slow for the moments that the scenario needs
   * @throws Failure, AgentDied, Unobservable
   */
  run(stage: Stage): Promise<Outcome>;
}

export function pass(reason: string): Outcome {
  return { verdict: 'pass', reason };
}

export function fail(reason: string): Outcome {
  return { verdict: 'fail', reason };
}

export function skip(reason: string): Outcome {
  return { verdict: 'skipped', reason };
}
