import type { TimelineEntry } from '../results/verify.js';
import type { Outcome } from './scenario.js';
import type { StageSpec } from './stage.js';

/** To the process of a stage. */
export interface StageCommand {
  spec: StageSpec;
  /** The scenario's name. */
  scenario: string;
}

/** What a scenario has shown. */
export interface Shown {
  outcome: Outcome;
  timeline: TimelineEntry[];
  /** `X-Envd-Version` as it was answered last. */
  version: string | null;
}

/** From the process of a stage: one message, and its end. */
export type StageMessage =
  | ({ type: 'shown' } & Shown)
  /** The machine was too slow: nothing was shown. */
  | { type: 'missed'; message: string }
  /** The stage could not be built. */
  | { type: 'failed'; message: string };
