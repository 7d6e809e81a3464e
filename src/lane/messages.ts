import type { LaneResult } from '../results/schema.js';
import type { Sample } from '../results/thin.js';
import type { LaneSpec } from './spec.js';

/** What a lane measured: its part of the result, but for what is said about it. */
export type LaneOutcome = Omit<LaneResult, 'predicted' | 'overload'>;

/** To a lane's process. */
export type LaneCommand =
  | { type: 'start'; spec: LaneSpec }
  /** Begin: the first `/init` is due at `startMs` of the monotonic clock. */
  | { type: 'go'; startMs: number }
  /** Come to an end now, with what there is. */
  | { type: 'stop' };

/** From a lane's process. */
export type LaneMessage =
  | { type: 'ready' }
  | { type: 'sample'; sample: Sample }
  | { type: 'outcome'; outcome: LaneOutcome; isWhole: boolean; notes: string[] }
  | { type: 'failed'; message: string };
