import { UsageError } from '../base/errors.js';
import { Agenda, Rank } from './agenda.js';
import { Attempts } from './attempts.js';
import { type Conduct, conductChanges, wholeNs } from './conduct.js';
import { LIFETIME_MS } from './facts.js';
import { type InitRules, Inits } from './inits.js';
import { type Poller, Pollers } from './pollers.js';
import { type GuestLimits, Ports } from './ports.js';
import type { LaneInput } from './predict.js';
import { type MachineLimits, Processor } from './processor.js';
import { Trace, type TraceSeries } from './trace.js';
import { workObstacle } from './work.js';

/** One sandbox through one outage. */
export interface SandboxInput extends LaneInput, InitRules {
  /** Who closes a served connection first; `auto`: the agent, but for `hijack`. */
  mmdsClose: 'auto' | 'agent' | 'mmds';
  guest: GuestLimits;
  machine: MachineLimits;
}

/** What became of it. Times are ms after the first `/init`; null: never. */
export interface Simulation {
  pollers: { peak: number; peakAtMs: number; spawned: number };
  connections: {
    total: number;
    /** In the fullest second. */
    perSecondPeak: number;
    perSecondPeakAtMs: number;
    /** Attempts that found no port; not part of `total`. */
    localFailures: number;
  };
  ports: { capacity: number; peak: number; exhaustedAtMs: number | null; halfAtMs: number | null };
  timeWait: { peak: number; overflow: number; fullAtMs: number | null };
  /** When more attempts were open than Firecracker serves. */
  crowdedAtMs: number | null;
  /** When the machine could first make no more attempts; null too where its limit is unknown. */
  saturatedAtMs: number | null;
  init: { sent: number; answered: number; timedOut: number; longestMs: number | null };
  series: TraceSeries;
}

/**
 * Runs one sandbox through its outage, event by event: the driver, `/init` and its lock, the guard,
 * every poller's ticker and timeout, MMDS and its 30 connections, the guest's ports and TIME_WAIT.
 * There is no chance in it: the same input gives the same figures.
 *
 * Where the closed form of predict.ts holds, this counts exactly the same. Not in it: what a busy
 * processor does to `/init` itself, which is answered at once unless it waits for MMDS.
 * @throws RangeError on a fault that the model does not know
 * @throws UsageError on more work than anybody waits for
 */
export function simulate(input: SandboxInput): Simulation {
  const obstacle = workObstacle(input);
  if (obstacle !== undefined) throw new UsageError(obstacle);
  const agenda = new Agenda();
  const ports = new Ports(input.guest);
  const processor = new Processor(() => {
    const { attemptsPerSecond, attemptsPerSecondPastHalf } = input.machine;
    const isPastHalf = ports.held(agenda.now) * 2 >= input.guest.ports;
    return isPastHalf ? (attemptsPerSecondPastHalf ?? attemptsPerSecond) : attemptsPerSecond;
  });
  const changes = conductChanges(input);
  const [first, ...later] = changes;
  if (!first) throw new RangeError('an outage needs a fault');
  const attempts = new Attempts(agenda, ports, processor, first.conduct);
  for (const { at, conduct } of later) {
    agenda.at(at, Rank.fault, () => attempts.follow(conduct));
  }
  const { poller, acceptsEmptyStore = true, mmdsVersion = 'V2' } = input;
  const pollers = new Pollers(agenda, attempts, { poller, acceptsEmptyStore, mmdsVersion });
  const inits = new Inits(agenda, attempts, input, guardOf(input, agenda, pollers));
  const trace = new Trace(agenda, () => ({
    attempts: attempts.begun - processor.backlog(agenda.now),
    pollers: pollers.running,
    pollersMost: pollers.takeMost(),
    portsInUse: ports.held(agenda.now),
    timeWait: ports.timeWait(agenda.now),
  }));

  // Where MMDS answers at first, the boot poller is over before the first `/init`.
  const isEnded = endsPoller(first.conduct, input);
  if (input.bootPoller && !isEnded) pollers.spawn(Number.POSITIVE_INFINITY);
  inits.start();
  trace.start();
  agenda.runUntil(wholeNs(input.outageMs));
  trace.finish();

  return {
    pollers: { peak: pollers.peak, peakAtMs: pollers.peakAt / 1e6, spawned: pollers.spawned },
    connections: {
      total: trace.total,
      perSecondPeak: trace.perSecondPeak,
      perSecondPeakAtMs: trace.perSecondPeakAtMs,
      localFailures: attempts.localFailures,
    },
    ports: {
      capacity: input.guest.ports,
      peak: ports.peak,
      exhaustedAtMs: inMs(ports.exhaustedAt),
      halfAtMs: inMs(ports.halfAt),
    },
    timeWait: {
      peak: ports.timeWaitPeak,
      overflow: ports.overflow,
      fullAtMs: inMs(ports.timeWaitFullAt),
    },
    crowdedAtMs: inMs(attempts.crowdedAt),
    saturatedAtMs: inMs(processor.saturatedAt),
    init: {
      sent: inits.sent,
      answered: inits.answered,
      timedOut: inits.timedOut,
      longestMs: inits.longestMs,
    },
    series: trace.series,
  };
}

/** Whether a poller ends at its first tick. */
function endsPoller(conduct: Conduct, input: LaneInput): boolean {
  const { poller, acceptsEmptyStore = true, mmdsVersion = 'V2' } = input;
  const { meets, delayMs, givesToken, metadata } = conduct;
  const isAnswered = meets === 'answer' && delayMs === 0;
  const mayAsk = givesToken || (mmdsVersion === 'V1' && poller === 'issue');
  return isAnswered && mayAsk && metadata !== 'none' && (metadata === 'full' || acceptsEmptyStore);
}

/** What an accepted `/init` does (src/agents/guards). */
function guardOf({ guarded, renews = false }: LaneInput, agenda: Agenda, pollers: Pollers) {
  const lifetime = wholeNs(LIFETIME_MS);
  let last: Poller | undefined;
  return (): void => {
    if (!guarded || !last || last.isOver) {
      last = pollers.spawn(lifetime);
    } else if (renews) {
      last.deadlineAt = agenda.now + lifetime;
      last.again = true;
    }
  };
}

function inMs(at: number | null): number | null {
  return at === null ? null : at / 1e6;
}
