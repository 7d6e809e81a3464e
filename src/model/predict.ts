import { demandPerSecond } from './closed-form.js';
import {
  aliveAt,
  attemptsBefore,
  initCount,
  peakBefore,
  type Starts,
  startedBefore,
  type Turns,
} from './discrete.js';
import {
  attemptsPerTick,
  type FaultEffect,
  faultEffect,
  LIFETIME_MS,
  type PollerModel,
  REQUEST_TIMEOUT_MS,
  TICK_MS,
} from './facts.js';

/** From when on a fault holds, ms after the first `/init`; until the next one or the end. */
export interface ScheduledFault {
  atMs: number;
  name: string;
  parameters: Readonly<Record<string, unknown>>;
}

/** What a lane's prediction depends on. */
export interface LaneInput {
  intervalMs: number;
  outageMs: number;
  /** The schedule, in the order of time; the first at 0. */
  faults: readonly ScheduledFault[];
  retry: 'fixed' | 'orchestrator';
  poller: PollerModel;
  /** Whether the agent starts a poller only when none runs. */
  guarded: boolean;
  /** Whether an empty store (`null`) ends a poller, as in envd; left out: it does. */
  acceptsEmptyStore?: boolean;
  /** Whether an `/init` that finds a poller running gives it a new lifetime; left out: it does not. */
  renews?: boolean;
  /** Left out: V2. */
  mmdsVersion?: 'V1' | 'V2';
  /** Whether envd's poller at boot runs too; no guard covers it. */
  bootPoller: boolean;
  initTimeoutMs: number;
  auth: 'stored' | 'mmds';
}

/** What the closed form says of a lane; null where there is none. */
export interface LanePrediction {
  pollersPeak: number | null;
  /** Attempts per second that the pollers ask for at the fullest moment. */
  connectionsPerSecondPeak: number | null;
  /** Attempts from the first `/init` to the end of the outage. */
  connectionsTotal: number | null;
}

/** A stretch of the outage under one fault; `toMs` is outside. */
interface Stretch {
  fromMs: number;
  toMs: number;
  fault: string;
  effect: FaultEffect | undefined;
}

const UNKNOWN: LanePrediction = {
  pollersPeak: null,
  connectionsPerSecondPeak: null,
  connectionsTotal: null,
};

/**
 * Predicts a lane by the closed form.
 *
 * There is none for `slow` and `flap` (see facts.ts), for an access token that must be
 * asked of MMDS (`/init` then waits for MMDS itself, for its lock, and for its caller's patience),
 * and only the number of pollers for a schedule that mixes failing at once with hanging or ends in
 * answers: how the requests under way meet the change depends on their phase.
 */
export function predictLane(input: LaneInput): LanePrediction {
  if (input.auth === 'mmds') return UNKNOWN;
  const stretches = stretchesOf(input);
  const effects = new Set(stretches.map(({ effect }) => effect));
  if (effects.has(undefined)) return UNKNOWN;
  if (effects.size === 1 && effects.has('answers')) return answering(input);
  if (effects.size === 1 && effects.has('hangs')) return hanging(input, stretches);
  if (!effects.has('answers') && !effects.has('hangs')) return failing(input, stretches);
  return { ...UNKNOWN, pollersPeak: pileBeforeAnswers(input, stretches) };
}

/** Every attempt fails at once: pollers pile up for a lifetime, each making `a` attempts a tick. */
function failing(input: LaneInput, stretches: readonly Stretch[]): LanePrediction {
  const crowds = crowdsOf(input);
  let total = 0;
  let perSecondPeak = 0;
  for (const { fromMs, toMs, fault } of stretches) {
    const attempts = attemptsPerTick(fault, input.poller) ?? 0;
    let pollers = 0;
    for (const { starts, lifetimeMs } of crowds) {
      const turns: Turns = { firstMs: TICK_MS, everyMs: TICK_MS, attempts, lifetimeMs };
      total += attemptsBefore(toMs, starts, turns) - attemptsBefore(fromMs, starts, turns);
      pollers += peakWithin(fromMs, toMs, starts, lifetimeMs);
    }
    perSecondPeak = Math.max(perSecondPeak, demandPerSecond(pollers, attempts));
  }
  return {
    pollersPeak: pollersPeak(crowds, input.outageMs),
    connectionsPerSecondPeak: perSecondPeak,
    connectionsTotal: total,
  };
}

/**
 * One attempt is outstanding per poller and lasts until the client's timeout. Go's ticker keeps one
 * tick meanwhile, so the next attempt follows at once; in the model that is the tick's
 * second request, at the same instant. In all about a tenth of an attempt per poller and second.
 */
function hanging(input: LaneInput, stretches: readonly Stretch[]): LanePrediction {
  // Lifting one hanging fault for another closes what is under way at an unknown phase.
  if (stretches.length > 1) {
    return { ...UNKNOWN, pollersPeak: pollersPeak(crowdsOf(input), input.outageMs) };
  }
  const crowds = crowdsOf(input);
  let total = 0;
  let perSecondPeak = 0;
  for (const { starts, lifetimeMs } of crowds) {
    const turns: Turns = {
      firstMs: TICK_MS,
      everyMs: REQUEST_TIMEOUT_MS,
      attempts: 1,
      lifetimeMs,
    };
    const made = attemptsBefore(input.outageMs, starts, turns);
    // What one poller makes in its time is what pollers of that many ages make in any one second.
    const oldest = Math.min(input.outageMs, lifetimeMs);
    const ages = Math.max(0, Math.ceil((oldest - turns.firstMs) / turns.everyMs));
    const startsPerSecond = starts.count === 1 ? 1 : Math.ceil(1e3 / starts.everyMs);
    perSecondPeak += Math.min(made, starts.count === 1 ? 1 : ages * startsPerSecond);
    total += made;
  }
  return {
    pollersPeak: pollersPeak(crowds, input.outageMs),
    connectionsPerSecondPeak: perSecondPeak,
    connectionsTotal: total,
  };
}

/**
 * Every poller ends at its first tick, with two attempts. The boot poller has done so before the
 * first `/init`.
 */
function answering(input: LaneInput): LanePrediction {
  // It ends a moment *after* its tick, when both answers are in: an `/init` that falls on the tick
  // still finds it.
  const room = Math.floor(TICK_MS / input.intervalMs) + 1;
  const starts = startsOf(input, room * input.intervalMs);
  const turns: Turns = {
    firstMs: TICK_MS,
    everyMs: Number.POSITIVE_INFINITY,
    attempts: 2,
    lifetimeMs: Number.POSITIVE_INFINITY,
  };
  const total = attemptsBefore(input.outageMs, starts, turns);
  return {
    pollersPeak: input.guarded ? Math.min(1, starts.count) : Math.min(room, starts.count),
    connectionsPerSecondPeak: Math.min(
      total,
      turns.attempts * Math.max(1, Math.ceil(1e3 / starts.everyMs)),
    ),
    connectionsTotal: total,
  };
}

/**
 * The pile at the moment when MMDS answers for good.
 * @returns null when it fails again afterwards: who is left over then depends on the phase
 */
function pileBeforeAnswers(input: LaneInput, stretches: readonly Stretch[]): number | null {
  const first = stretches.findIndex(({ effect }) => effect === 'answers');
  if (first < 0) return pollersPeak(crowdsOf(input), input.outageMs);
  const answered = stretches.slice(first);
  if (first === 0 || answered.some(({ effect }) => effect !== 'answers')) return null;
  const pile = pollersPeak(crowdsOf(input), answered[0]?.fromMs ?? input.outageMs);
  return Math.max(pile, answering(input).pollersPeak ?? 0);
}

/** Pollers of one kind: when they start and how long they live. */
interface Crowd {
  starts: Starts;
  lifetimeMs: number;
}

/** The pollers of a lane in which none ends before its lifetime. */
function crowdsOf(input: LaneInput): Crowd[] {
  const lives = Math.ceil(LIFETIME_MS / input.intervalMs);
  const crowds = [{ starts: startsOf(input, lives * input.intervalMs), lifetimeMs: LIFETIME_MS }];
  if (input.bootPoller) {
    const starts = { everyMs: Number.POSITIVE_INFINITY, count: 1 };
    crowds.push({ starts, lifetimeMs: Number.POSITIVE_INFINITY });
  }
  return crowds;
}

/**
 * When the lane's `/init`s start pollers.
 * @param guardedMs how long a guard lets none start after one
 */
function startsOf(input: LaneInput, guardedMs: number): Starts {
  // With a stored token `/init` is answered at once, and the first answer of any status ends the
  // orchestrator's loop (orchestrator pkg/sandbox/envd.go).
  if (input.retry === 'orchestrator') return { everyMs: Number.POSITIVE_INFINITY, count: 1 };
  const everyMs = input.guarded ? guardedMs : input.intervalMs;
  return { everyMs, count: initCount(everyMs, input.outageMs) };
}

function pollersPeak(crowds: readonly Crowd[], beforeMs: number): number {
  return crowds.reduce(
    (sum, { starts, lifetimeMs }) => sum + peakBefore(beforeMs, starts, lifetimeMs),
    0,
  );
}

/** The most pollers alive at once within a stretch. */
function peakWithin(fromMs: number, toMs: number, starts: Starts, lifetimeMs: number): number {
  // Without a start in it the number only falls; with one it is largest at the last of them.
  const isFed = startedBefore(toMs, starts) > startedBefore(fromMs, starts);
  return isFed ? peakBefore(toMs, starts, lifetimeMs) : aliveAt(fromMs, starts, lifetimeMs);
}

function stretchesOf(input: LaneInput): Stretch[] {
  const { faults, outageMs } = input;
  return faults
    .map(({ atMs, name }, i) => ({
      fromMs: atMs,
      toMs: Math.min(faults[i + 1]?.atMs ?? outageMs, outageMs),
      fault: name,
      effect: effectOn(input, name),
    }))
    .filter(({ fromMs, toMs }) => fromMs < toMs);
}

/** What a fault does to this lane's pollers. */
function effectOn(
  { poller, acceptsEmptyStore = true, mmdsVersion = 'V2' }: LaneInput,
  fault: string,
): FaultEffect | undefined {
  // An agent that does not take `null` for an answer asks again at the next tick.
  if (fault === 'null' && !acceptsEmptyStore) return 'metadata-fails';
  // V1 asks for no token, so the second request of the tick is answered all the same.
  if (fault === 'empty-token' && poller === 'issue' && mmdsVersion === 'V1') return 'answers';
  return faultEffect(fault);
}
