import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { deferred } from '../base/deferred.js';
import { currentNetns, ORIGIN_NETNS } from '../base/interlock.js';
import type { Sample } from '../results/thin.js';
import type { LaneCommand, LaneMessage, LaneOutcome } from './messages.js';
import { plainEnvironment } from './network/command.js';
import { DIE_WITH_PARENT, UNSHARE } from './network/namespaces.js';
import type { LaneSpec } from './spec.js';

const HOST = fileURLToPath(new URL('./host.js', import.meta.url));

/** How long the processes of a lane may take to end after its first, ms. */
const GONE_WITHIN_MS = 5_000;

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
  private readonly child: ChildProcess;

  constructor(spec: LaneSpec, onSample: (sample: Sample) => void) {
    this.child = launch(spec);
    const end: LaneEnd = { outcome: undefined, isWhole: false, message: undefined };
    const ready = deferred<void>();
    const ended = deferred<LaneEnd>();
    let stderr = '';
    this.ready = ready.promise;
    this.ended = ended.promise;
    // Each is awaited only in its turn; a failure before that is no unhandled one.
    ready.promise.catch(() => {});
    this.child.on('message', (message: LaneMessage) => {
      if (message.type === 'sample') onSample(message.sample);
      else if (message.type === 'ready') ready.resolve();
      else if (message.type === 'failed') end.message = message.message;
      else {
        end.outcome = message.outcome;
        end.isWhole = message.isWhole;
      }
    });
    this.child.stderr?.on('data', (piece: Buffer) => {
      stderr = (stderr + piece.toString('utf8')).slice(-2_000);
    });
    const finish = (how: string): void => {
      end.message ??= end.outcome ? undefined : `the lane's process ${how}: ${stderr.trim()}`;
      ready.reject(new Error(end.message ?? 'the lane ended'));
      ended.resolve(end);
    };
    this.child.once('error', (error) => finish(`could not be started (${error.message})`));
    this.child.once('exit', async (code, signal) => {
      await lastOneGone(this.child);
      finish(`ended (${signal ?? code})`);
    });
    this.send({ type: 'start', spec });
  }

  /** Begins the outage at `startMs` of the monotonic clock. */
  go(startMs: number): void {
    this.send({ type: 'go', startMs });
  }

  /** Ends the outage now; the lane says what it has, and tears itself down. */
  stop(): void {
    this.send({ type: 'stop' });
  }

  /**
   * Ends the lane at once and without an outcome. Hung up on, its process ends by itself too: unshare
   * may be killed in the moment after it forked and before it bound the child's life to its own.
   */
  kill(): void {
    if (this.child.connected) this.child.disconnect();
    this.child.kill('SIGKILL');
  }

  private send(command: LaneCommand): void {
    if (this.child.connected) this.child.send(command, () => {});
  }
}

/**
 * Waits until no process of the lane holds its standard error any more. Where unshare itself was
 * killed, those inside its namespaces end a moment after it.
 */
function lastOneGone(child: ChildProcess): Promise<void> {
  const { stderr } = child;
  if (!stderr || stderr.closed) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, GONE_WITHIN_MS);
    stderr.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function launch(spec: LaneSpec): ChildProcess {
  const wrapped = spec.isolation === 'netns' ? [...DIE_WITH_PARENT, ...UNSHARE] : [];
  const [program, ...args] = [...wrapped, process.execPath, HOST];
  return spawn(program ?? '', args, {
    // A session of its own: the terminal's Ctrl-C reaches the main process alone.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: plainEnvironment({ [ORIGIN_NETNS]: currentNetns() }),
  });
}
