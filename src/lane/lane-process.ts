import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { monotonicMs } from '../base/clock.js';
import { currentNetns, ORIGIN_NETNS } from '../base/interlock.js';
import { cleanText } from '../base/text.js';
import { childrenOf } from '../observe/proc/process.js';
import { StopWatch } from '../observe/stop-watch.js';
import { type Exit, exitInside, howEnded, STOPPED } from './death.js';
import { plainEnvironment } from './network/command.js';
import { DIE_WITH_PARENT, UNSHARE } from './network/namespaces.js';
import type { LaneSpec } from './spec.js';

/** How long the processes of a lane may take to end after its first, ms. */
const GONE_WITHIN_MS = 5_000;

/** How much of what it says on stderr is kept, characters. */
const TAIL = 2_000;

/** How the first process of a lane ended. */
export interface LaneProcessEnd {
  /** In words that follow its name. */
  how: string;
  /** When, on the monotonic clock. */
  atMs: number;
}

/**
 * The first process of a lane: it has namespaces of its own, or is a plain child in loopback
 * isolation. It speaks in messages, and ends when this process does.
 */
export class LaneProcess<Command extends object, Message> {
  /** Settles once it and all that it started are gone. */
  readonly ended: Promise<LaneProcessEnd>;
  private readonly child: ChildProcess;
  private timer: NodeJS.Timeout | undefined;

  /** @param entry the script that the process runs */
  constructor(entry: URL, isolation: LaneSpec['isolation'], onMessage: (message: Message) => void) {
    this.child = launch(fileURLToPath(entry), isolation);
    this.child.on('message', (message) => onMessage(message as Message));
    let stderr = '';
    this.child.stderr?.on('data', (piece: Buffer) => {
      stderr = (stderr + piece.toString('utf8')).slice(-TAIL);
    });
    let stopped: LaneProcessEnd | undefined;
    const watch = new StopWatch(() => [{ name: 'host', pids: this.pids(isolation) }], {
      onStopped: (_, atMs) => {
        stopped = { how: STOPPED, atMs };
        this.kill();
      },
    });
    this.ended = new Promise((resolve) => {
      const end = (exit: Exit): void => {
        watch.end();
        clearTimeout(this.timer);
        const inside = exitInside(exit, stderr);
        const words = inside === exit ? cleanText(stderr.trim().split('\n').at(-1) ?? '', 300) : '';
        const how = howEnded(inside) + (words ? `; it said: ${words}` : '');
        resolve(stopped ?? { how, atMs: endedMs });
      };
      let endedMs = monotonicMs();
      this.child.once('error', ({ message }) => end({ code: null, signal: null, error: message }));
      this.child.once('exit', async (code, signal) => {
        endedMs = monotonicMs();
        await lastOneGone(this.child);
        end({ code, signal });
      });
    });
  }

  send(command: Command): void {
    if (this.child.connected) this.child.send(command, () => {});
  }

  /** Gives it some time to end by itself, ms: stopped now, it never would. */
  endWithin(ms: number): void {
    this.timer ??= setTimeout(() => this.kill(), ms);
  }

  /** The process that does the work; unshare, which only waits for it, until there is one. */
  private pids(isolation: LaneSpec['isolation']): number[] {
    const { pid } = this.child;
    if (pid === undefined) return [];
    return [isolation === 'loopback' ? pid : (childrenOf(pid)[0] ?? pid)];
  }

  /**
   * Ends it at once. Hung up on, the process ends by itself too: unshare may be killed in the moment
   * after it forked and before it bound the child's life to its own.
   */
  kill(): void {
    if (this.child.connected) this.child.disconnect();
    this.child.kill('SIGKILL');
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

function launch(entry: string, isolation: LaneSpec['isolation']): ChildProcess {
  const wrapped = isolation === 'netns' ? [...DIE_WITH_PARENT, ...UNSHARE] : [];
  const [program, ...args] = [...wrapped, process.execPath, entry];
  return spawn(program ?? '', args, {
    // A session of its own: the terminal's Ctrl-C reaches the main process alone.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: plainEnvironment({ [ORIGIN_NETNS]: currentNetns() }),
  });
}
