import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { LoopReading } from '../../base/event-loop.js';
import { ORIGIN_NETNS } from '../../base/interlock.js';
import type { MmdsEvent } from '../../mmds/event-log.js';
import { LoopMeter } from '../../observe/loop-meter.js';
import { type Exit, howEnded } from '../death.js';
import { plainEnvironment } from '../network/command.js';
import type { LaneNetwork } from '../network/network.js';
import type { LaneSpec } from '../spec.js';

type Fault = LaneSpec['faults'][number]['fault'];

/** What the MMDS process sends back (src/mmds/process.ts). */
type MmdsMessage =
  | { type: 'ready' }
  | { type: 'faultApplied' }
  | { type: 'metadataApplied' }
  | { type: 'counters' }
  | { type: 'watchApplied' }
  | { type: 'events'; events: MmdsEvent[] }
  | { type: 'loop'; loop: LoopReading }
  | { type: 'trouble'; message: string };

/** How long MMDS may take over a command, ms: a stuck one is no MMDS with the fault that was asked for. */
const ANSWER_WITHIN_MS = 5_000;

/** MMDS in a process of its own, on the host side of a lane. */
export class MmdsPart {
  readonly loop = new LoopMeter();
  private onEvents: (events: MmdsEvent[]) => void = () => {};

  private hasEnded = false;
  private isDestroyed = false;

  private constructor(
    private readonly child: ChildProcess,
    onDeath: (how: string) => void,
  ) {
    child.once('error', ({ message: error }) =>
      this.onEnd({ code: null, signal: null, error }, onDeath),
    );
    child.once('exit', (code, signal) => this.onEnd({ code, signal }, onDeath));
    child.on('message', (message: MmdsMessage) => {
      if (message.type === 'events') this.onEvents(message.events);
      else if (message.type === 'loop') this.loop.push(message.loop);
    });
  }

  /**
   * Starts the process; it serves nothing yet.
   * @param onDeath is told in words that follow its name, when it ends unasked
   */
  static launch(onDeath: (how: string) => void): MmdsPart {
    const origin = process.env[ORIGIN_NETNS];
    const child = fork(fileURLToPath(new URL('../../mmds/process.js', import.meta.url)), {
      execArgv: [],
      env: plainEnvironment(origin ? { [ORIGIN_NETNS]: origin } : {}),
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    return new MmdsPart(child, onDeath);
  }

  /** Begins to serve. @throws Error when it cannot listen or apply the fault */
  async begin(
    network: LaneNetwork,
    spec: Pick<LaneSpec, 'mmdsVersion' | 'mmdsClose'>,
    metadata: unknown,
    fault: Fault,
  ): Promise<void> {
    const { host, port } = network.mmds;
    await this.ask('ready', {
      type: 'start',
      config: {
        address: host,
        port,
        network: network.mmdsSide,
        metadata,
        version: spec.mmdsVersion,
        close: spec.mmdsClose,
        fault,
      },
    });
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** Lets another fault hold from now on. */
  async setFault(fault: Fault): Promise<void> {
    await this.ask('faultApplied', { type: 'fault', fault });
  }

  /** Replaces the metadata. */
  async setMetadata(metadata: unknown): Promise<void> {
    await this.ask('metadataApplied', { type: 'metadata', metadata });
  }

  /** Tells everything that MMDS sees and answers from now on; undefined ends that. */
  async watch(onEvents: ((events: MmdsEvent[]) => void) | undefined): Promise<void> {
    if (onEvents) this.onEvents = onEvents;
    await this.ask('watchApplied', { type: 'watch', on: onEvents !== undefined });
  }

  /** Has MMDS tell of its event loop from now on. */
  async tellLoop(): Promise<void> {
    await this.ask('loop', { type: 'tellLoop' });
  }

  /** Resolves when a watcher has been told of all that has happened up to now. */
  async sync(): Promise<void> {
    await this.ask('counters', { type: 'counters' });
  }

  destroy(): void {
    this.isDestroyed = true;
    this.child.kill('SIGKILL');
  }

  private onEnd(exit: Exit, onDeath: (how: string) => void): void {
    if (!this.hasEnded && !this.isDestroyed) onDeath(howEnded(exit));
    this.hasEnded = true;
  }

  private ask(expected: MmdsMessage['type'], message: object): Promise<void> {
    if (this.hasEnded) return Promise.reject(new Error('MMDS ended'));
    return new Promise((resolve, reject) => {
      const onMessage = (answer: MmdsMessage): void => {
        if (answer.type === expected) finish();
        else if (answer.type === 'trouble') finish(new Error(`MMDS: ${answer.message}`));
      };
      const onExit = (): void => finish(new Error('MMDS ended'));
      const timer = setTimeout(() => finish(new Error('MMDS does not answer')), ANSWER_WITHIN_MS);
      const finish = (error?: Error): void => {
        clearTimeout(timer);
        this.child.off('message', onMessage);
        this.child.off('exit', onExit);
        if (error) reject(error);
        else resolve();
      };
      this.child.on('message', onMessage);
      this.child.once('exit', onExit);
      // An error here is the end of the process, which tells more when it is seen.
      this.child.send(message, () => {});
    });
  }
}
