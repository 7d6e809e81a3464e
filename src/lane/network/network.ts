import type { Readable } from 'node:stream';
import type { Reader } from '../../observe/reading.js';
import type { Exit } from '../death.js';

export interface Address {
  host: string;
  port: number;
}

/** The limits of the agent's side, as its own namespace states them; null where it has none. */
export interface Limits {
  /** Ephemeral ports per destination: the range less the reserved ones. */
  ports: number | null;
  timeWait: number | null;
}

/** How an agent ended: by itself, or with the first process of its side, which holds the namespaces. */
export interface AgentExit extends Exit {
  wasSide?: true;
}

/** An agent's process, wherever it runs. */
export interface AgentProcess {
  /** The process as the lane sees it. */
  pid(): number | undefined;
  stdout: Readable;
  stderr: Readable;
  exited: Promise<AgentExit>;
  limits: Limits;
  reader: Reader;
  /** Asks it to end. */
  terminate(): void;
  /** Sends SIGQUIT to it and all that it started: a Go program dumps its stacks, and ends. */
  quit(): void;
  /** Stops it and all that it started, as a pause of the VM does (SIGSTOP), or lets them go on. */
  pause(): void;
  resume(): void;
  /** Where this process finds a file of the agent's; undefined where it has no files of its own. */
  pathOf(path: string): string | undefined;
  /** A file as the agent sees it; undefined when there is none. */
  rootFile(path: string): string | undefined;
  /** Ends it and all that it started, and gives its network back. */
  destroy(): Promise<void>;
}

/** A lane's network: where MMDS is for the agent, where the agent is for the driver. */
export interface LaneNetwork {
  mmds: Address;
  agent: Address;
  /** What the MMDS process needs to know of its side. */
  mmdsSide: { kind: 'netns'; device: string } | { kind: 'loopback' };
  /** The processes that build and hold the agent's side, while they live; none where it has none. */
  side(): readonly number[];
  /**
   * Starts the agent on its side.
   * @param command the program and its arguments
   * @param confineTo the folder of a program that is not ours: it may change no file of the host
   * @throws Error when the side cannot be built
   */
  startAgent(command: readonly string[], confineTo: string | undefined): Promise<AgentProcess>;
}
