import { deferred } from '../base/deferred.js';
import type { Sample } from '../results/thin.js';
import { LaneProcess } from './lane-process.js';
import type { LaneCommand, LaneMessage, LaneOutcome } from './messages.js';
import type { LaneSpec } from './spec.js';

const HOST = new URL('./host.js', import.meta.url);

/** What came of a lane. */
export interface LaneEnd {
  /** What it measured; undefined when its process ended before it could say. */
  outcome: LaneOutcome | undefined;
  /** False when it ended before its time. */
  isWhole: boolean;
  /** What went wrong, when there is no outcome. */
  message: string | undefined;
}

/** A lane as the experiment sees it: a process of its own. */
export class LaneHandle {
  /** Settles when all parts are up. Rejects when they cannot be. */
  readonly ready: Promise<void>;
  /** Settles when the lane's process, and with it all that it started, has ended. */
  readonly ended: Promise<LaneEnd>;
  private readonly process: LaneProcess<LaneCommand, LaneMessage>;

  constructor(spec: LaneSpec, onSample: (sample: Sample) => void) {
    const end: LaneEnd = { outcome: undefined, isWhole: false, message: undefined };
    const ready = deferred<void>();
    this.ready = ready.promise;
    // It is awaited only in its turn; a failure before that is no unhandled one.
    ready.promise.catch(() => {});
    this.process = new LaneProcess(HOST, spec.isolation, (message) => {
      if (message.type === 'sample') onSample(message.sample);
      else if (message.type === 'ready') ready.resolve();
      else if (message.type === 'failed') end.message = message.message;
      else {
        end.outcome = message.outcome;
        end.isWhole = message.isWhole;
      }
    });
    this.ended = this.process.ended.then((how) => {
      end.message ??= end.outcome ? undefined : `the lane's process ${how}`;
      ready.reject(new Error(end.message ?? 'the lane ended'));
      return end;
    });
    this.process.send({ type: 'start', spec });
  }

  /** Begins the outage at `startMs` of the monotonic clock. */
  go(startMs: number): void {
    this.process.send({ type: 'go', startMs });
  }

  /** Ends the outage now; the lane says what it has, and tears itself down. */
  stop(): void {
    this.process.send({ type: 'stop' });
  }

  /** Ends the lane at once and without an outcome. */
  kill(): void {
    this.process.kill();
  }
}
