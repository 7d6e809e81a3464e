import { UsageError } from '../base/errors.js';
import type { LaneInput, ScheduledFault } from './predict.js';

/** How MMDS meets an attempt at one moment, as far as the model needs it. */
export interface Conduct {
  /**
   * - `refusal`: RST at once, by the kernel or right after the accept
   * - `silence`: the SYN gets no answer, and is repeated
   * - `hold`: accepted, and never answered
   * - `answer`: answered, after `delayMs`
   */
  meets: 'refusal' | 'silence' | 'hold' | 'answer';
  delayMs: number;
  /** Whether Firecracker's limit of connections holds. */
  limited: boolean;
  /** Whether the agent closes a served connection first, and so keeps TIME_WAIT. */
  agentCloses: boolean;
  /** Whether the answer to the token request has a body that can be sent as a token. */
  givesToken: boolean;
  /** What `GET /` gives who has a token: metadata, `null`, or nothing that parses. */
  metadata: 'full' | 'empty' | 'none';
}

/** From an instant on, whole ns since the first `/init`. */
export interface ConductChange {
  at: number;
  conduct: Conduct;
}

const HEALTHY: Conduct = {
  meets: 'answer',
  delayMs: 0,
  limited: true,
  agentCloses: true,
  givesToken: true,
  metadata: 'full',
};
const REFUSAL: Conduct = { ...HEALTHY, meets: 'refusal' };
const FOREIGN: Conduct = { ...HEALTHY, limited: false, metadata: 'none' };

/** A schedule that changes more often than this is no outage. */
const MOST_CHANGES = 1_000_000;

/** Conducts that follow one another for ever. */
type Cycle = readonly { conduct: Conduct; forMs: number }[];

const always = (conduct: Partial<Conduct>): Cycle => [
  { conduct: { ...HEALTHY, ...conduct }, forMs: Number.POSITIVE_INFINITY },
];

type Parameters = ScheduledFault['parameters'];

/** The faults as src/mmds/faults has them; a new one there needs a line here. */
const CYCLES = new Map<string, (parameters: Parameters) => Cycle>([
  ['none', () => always({})],
  ['null', () => always({ metadata: 'empty' })],
  ['refused', () => always(REFUSAL)],
  ['reset', () => always(REFUSAL)],
  ['blackhole', () => always({ meets: 'silence' })],
  ['overload', () => always({ meets: 'silence' })],
  ['hang', () => always({ meets: 'hold', limited: false })],
  ['http-error', () => always(FOREIGN)],
  // Its page has line breaks, so that Go does not send it as a token (see facts.ts).
  ['hijack', () => always({ ...FOREIGN, agentCloses: false, givesToken: false })],
  ['empty-token', () => always({ limited: false, givesToken: false })],
  ['slow', (parameters) => always({ delayMs: numberOf(parameters, 'delayMs', 2000) })],
  [
    'flap',
    (parameters) => [
      { conduct: REFUSAL, forMs: numberOf(parameters, 'downMs', 5000) },
      { conduct: HEALTHY, forMs: numberOf(parameters, 'upMs', 1000) },
    ],
  ],
]);

/** Whether the model knows a fault. */
export function isModelled(fault: string): boolean {
  return CYCLES.has(fault);
}

/** What {@link conductChanges} needs of a lane. */
export type Course = Pick<LaneInput, 'faults' | 'outageMs'> & {
  mmdsClose: 'auto' | 'agent' | 'mmds';
};

/**
 * All changes of conduct within the outage, in order; the first at 0.
 * @throws RangeError on a fault that the model does not know
 * @throws UsageError where there are more than anybody asks for
 */
export function conductChanges({ faults, outageMs, mmdsClose }: Course): ConductChange[] {
  const changes: ConductChange[] = [];
  faults.forEach(({ atMs, name, parameters }, i) => {
    const cycle = CYCLES.get(name)?.(parameters);
    if (!cycle) throw new RangeError(`the model has no fault ${name}`);
    const endMs = Math.min(faults[i + 1]?.atMs ?? outageMs, outageMs);
    for (let fromMs = atMs, turn = 0; fromMs < endMs; turn++) {
      const phase = cycle[turn % cycle.length];
      if (!phase) break;
      if (changes.length >= MOST_CHANGES) {
        throw new UsageError(`${name} changes more than ${MOST_CHANGES} times within the outage`);
      }
      changes.push({ at: wholeNs(fromMs), conduct: closing(phase.conduct, mmdsClose) });
      fromMs += phase.forMs;
    }
  });
  return changes;
}

/**
 * Whether chance decides who closes a served connection first, and so whether TIME_WAIT stays in the
 * guest: under `hijack` the web server closes right after its answer, and the agent upon it. Measured:
 * 195 of 3,650 connections and 74 of 119 (docs/model.md). The model's own figures are those of a server
 * that always is first; `mmdsClose: 'agent'` gives the other end.
 */
export function isCloseARace({ faults, mmdsClose }: Course): boolean {
  return mmdsClose === 'auto' && faults.some(({ name }) => name === 'hijack');
}

/** Milliseconds in whole ns, in which sums are exact. */
export function wholeNs(ms: number): number {
  return Math.round(ms * 1e6);
}

function closing(conduct: Conduct, mmdsClose: Course['mmdsClose']): Conduct {
  return mmdsClose === 'auto' ? conduct : { ...conduct, agentCloses: mmdsClose === 'agent' };
}

function numberOf(parameters: Parameters, name: string, otherwise: number): number {
  const value = parameters[name];
  return typeof value === 'number' ? value : otherwise;
}
