import type { Firecracker } from './firecracker.js';

/** How the service's address behaves towards a connection attempt. */
export type Reach =
  /** It is accepted. */
  | 'open'
  /** Nothing listens: the kernel answers RST. */
  | 'closed'
  /** The host does not have the address: packets vanish. */
  | 'vanished'
  /** Something listens, but all its places are taken: SYNs get no answer. */
  | 'full';

/** How the service behaves at one moment. */
export interface Conduct {
  readonly reach: Reach;
  /** `ignore`: a request is read and never answered. `reset`: RST right after the accept. */
  readonly connection: 'serve' | 'ignore' | 'reset';
  /** How long an answer is held back, in ms. */
  readonly delayMs: number;
  /** Whether Firecracker itself is behind it, and with it its limit of 30 connections. */
  readonly limited: boolean;
  /** Whether this server closes a served connection first, under `close: auto`. */
  readonly closesFirst: boolean;
  /**
   * Answers a complete request head (latin1), whatever it is.
   * @param closing whether this server closes the connection after the answer
   */
  readonly answer: (head: string, firecracker: Firecracker, closing: boolean) => Buffer;
}

/** Firecracker in good order; every fault says in what it differs. */
export const HEALTHY: Conduct = {
  reach: 'open',
  connection: 'serve',
  delayMs: 0,
  limited: true,
  closesFirst: false,
  answer: (head, firecracker, closing) => firecracker.encoded(head, closing),
};

/** A conduct and how long it lasts, in ms; the last phase is followed by the first again. */
export interface Phase {
  readonly conduct: Conduct;
  readonly forMs: number;
}

/** The one phase of a fault that does not change by itself. */
export function always(conduct: Partial<Conduct>): readonly Phase[] {
  return [{ conduct: { ...HEALTHY, ...conduct }, forMs: Number.POSITIVE_INFINITY }];
}

/** A number that tunes a fault. */
export interface Parameter {
  /** What it is, for help and errors. */
  readonly summary: string;
  /** `duration`: in ms, typed with a unit. `integer`: typed bare. */
  readonly unit: 'duration' | 'integer';
  readonly default: number;
  readonly min: number;
  readonly max: number;
}

/**
 * One way in which MMDS is unavailable. A fault only describes; {@link Mmds} acts, so that every
 * wait ends with the fault and nothing is left behind by it.
 */
export interface Fault {
  readonly name: string;
  /** What a client sees, in one line. */
  readonly summary: string;
  /** The real cause it stands for, in one line. */
  readonly cause: string;
  /** In the order in which they are typed: `name:first/second`. */
  readonly parameters: Readonly<Record<string, Parameter>>;
  /** Null where the fault works on loopback too, else the reason why not. */
  readonly loopbackRefusal: string | null;
  /** @param values one for every parameter */
  readonly phases: (values: Readonly<Record<string, number>>) => readonly Phase[];
}

/** Gives a fault without parameters, on loopback or not, its short form. */
export function defineFault<Name extends string = never>(fault: {
  readonly name: string;
  readonly summary: string;
  readonly cause: string;
  readonly parameters?: Readonly<Record<Name, Parameter>>;
  readonly loopbackRefusal?: string;
  readonly phases: (values: Readonly<Record<Name, number>>) => readonly Phase[];
}): Fault {
  return { parameters: {}, loopbackRefusal: null, ...fault };
}
