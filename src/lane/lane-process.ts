import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { currentNetns, ORIGIN_NETNS } from '../base/interlock.js';
import { plainEnvironment } from './network/command.js';
import { DIE_WITH_PARENT, UNSHARE } from './network/namespaces.js';
import type { LaneSpec } from './spec.js';

/** How long the processes of a lane may take to end after its first, ms. */
const GONE_WITHIN_MS = 5_000;

/** How much of what it says on stderr is kept, characters. */
const TAIL = 2_000;

/**
 * The first process of a lane: it has namespaces of its own, or is a plain child in loopback
 * isolation. It speaks in messages, and ends when this process does.
 */
export class LaneProcess<Command extends object, Message> {
  /** Settles with how it ended, in words, once it and all that it started are gone. */
  readonly ended: Promise<string>;
  private readonly child: ChildProcess;

  /** @param entry the script that the process runs */
  constructor(entry: URL, isolation: LaneSpec['isolation'], onMessage: (message: Message) => void) {
    this.child = launch(fileURLToPath(entry), isolation);
    this.child.on('message', (message) => onMessage(message as Message));
    let stderr = '';
    this.child.stderr?.on('data', (piece: Buffer) => {
      stderr = (stderr + piece.toString('utf8')).slice(-TAIL);
    });
    this.ended = new Promise((resolve) => {
      this.child.once('error', (error) => resolve(`could not be started (${error.message})`));
      this.child.once('exit', async (code, signal) => {
        await lastOneGone(this.child);
        resolve(`ended (${signal ?? code}): ${stderr.trim()}`);
      });
    });
  }

  send(command: Command): void {
    if (this.child.connected) this.child.send(command, () => {});
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
