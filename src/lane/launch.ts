import { deferred } from '../base/deferred.js';
import type { Sample } from '../results/thin.js';
import { momentOf } from './death.js';
import { LaneProcess } from './lane-process.js';
import type { LaneCommand, LaneMessage, LaneOutcome } from './messages.js';
import type { LaneSpec } from './spec.js';

const HOST = new URL('./host.js', import.meta.url);

/** How long a lane that has told all may take to tear itself down, ms. */
const TORN_DOWN_WITHIN_MS = 2_000;

/** What came of a lane. */
export interface LaneEnd {
  /** What it measured; undefined when its process ended before it could say. */
  outcome: LaneOutcome | undefined;
  /** False when it ended before its time. */
  isWhole: boolean;
  /** What went wrong, when there is no outcome. */
  message: string | undefined;
  /** What a reader of its figures must know. */
  notes: readonly string[];
}

/** A lane as the experiment sees it: a process of its own. */
export class LaneHandle {
  /** Settles when all parts are up. Rejects when they cannot be. */
  readonly ready: Promise<void>;
  /** Settles when the lane's process, and with it all that it started, has ended. */
  readonly ended: Promise<LaneEnd>;
  private readonly process: LaneProcess<LaneCommand, LaneMessage>;
  private readonly end: LaneEnd = {
    outcome: undefined,
    isWhole: false,
    message: undefined,
    notes: [],
  };
  private startMs: number | undefined;

  constructor(spec: LaneSpec, onSample: (sample: Sample) => void) {
    const { end } = this;
    const ready = deferred<void>();
    this.ready = ready.promise;
    // It is awaited only in its turn; a failure before that is no unhandled one.
    ready.promise.catch(() => {});
    this.process = new LaneProcess(HOST, spec.isolation, (message) => {
      if (message.type === 'sample') onSample(message.sample);
      else if (message.type === 'ready') ready.resolve();
      else {
        if (message.type === 'failed') end.message ??= message.message;
        else {
          end.outcome = message.outcome;
          end.isWhole = message.isWhole;
          end.notes = message.notes;
        }
        this.process.endWithin(TORN_DOWN_WITHIN_MS);
      }
    });
    this.ended = this.process.ended.then(({ how, atMs }) => {
      const moment = momentOf(atMs, this.startMs, spec.outageMs);
      if (end.outcome) end.message = undefined;
      else end.message ??= `the host of lane ${spec.agent.name} ${how} ${moment}`;
      ready.reject(new Error(end.message ?? 'the lane ended'));
      return end;
    });
    this.process.send({ type: 'start', spec });
  }

  /** Begins the outage at `startMs` of the monotonic clock. */
  go(startMs: number): void {
    this.startMs = startMs;
    this.process.send({ type: 'go', startMs });
  }

  /** Ends the outage now; the lane says what it has, and tears itself down. */
  stop(): void {
    this.process.send({ type: 'stop' });
  }

  /**
   * Ends the lane at once and without an outcome.
   * @param why said of a lane that has told nothing
   */
  kill(why: string): void {
    this.end.message ??= why;
    this.process.kill();
  }
}
