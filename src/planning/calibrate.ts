import { UsageError } from '../base/errors.js';
import { simulate } from '../model/simulation.js';
import type { Calibration } from '../results/plan.js';
import type { LaneResult, Result } from '../results/schema.js';
import { type FaultReader, measuredSandbox } from './measured.js';

/** Below this share of the demand a lane was held up, not by chance. */
const HELD_UP = 0.95;

/** At this part of a core an agent, which is one thread, is at the machine's limit. */
const BUSY_CORES = 0.8;

/** A lane and what it would have done on a machine without limits. */
interface Point {
  lane: LaneResult;
  seconds: number;
  attempts: number;
  /** Attempts that the model makes and the lane did not. */
  missing: number;
  share: number;
  /** The same of the fullest second. */
  shareAtPeak: number;
}

/**
 * Takes from measured runs what depends on the machine: processor time of an attempt, memory of a
 * poller, the attempts per second it can make. What the runs do not show is null.
 * @throws UsageError when the runs are of different machines, or none can be used
 */
export function calibrate(results: readonly Result[], readFaults: FaultReader): Calibration {
  const [first] = results;
  if (!first) throw new UsageError('--from needs a result');
  const { kernel, cpus, node } = first.machine;
  for (const { id, machine } of results) {
    if (machine.kernel !== kernel || machine.cpus !== cpus || machine.node !== node) {
      throw new UsageError(
        `--from: results ${first.id} and ${id} are of different machines`,
        'Calibrate with the runs of one machine',
      );
    }
  }
  const points = results.flatMap((result) =>
    result.complete ? result.lanes.flatMap((lane) => pointOf(result, lane, readFaults)) : [],
  );
  if (points.length === 0) {
    throw new UsageError(
      '--from: no complete lane of a built-in agent in these results',
      'Make one with envd-bench run',
    );
  }
  // Past half of the ports an attempt costs many times as much: that is no price for the others.
  const cpu = fit(
    points.filter(({ lane }) => !isPastHalf(lane)),
    ({ lane, seconds, attempts }) => ({
      one: seconds,
      other: attempts,
      value: lane.process.cpuSeconds,
    }),
  );
  const rss = fit(points, ({ lane }) => ({
    one: 1,
    other: lane.pollers.peak ?? 0,
    value: lane.process.rssPeakBytes,
  }));
  const heldUp = points.filter(isHeldUp);
  const perAttempt = cpu?.other ?? 0;
  const atLimit = heldUp.filter(
    (point) => !isPastHalf(point.lane) && peakRate(point) * perAttempt >= BUSY_CORES,
  );
  return {
    machine: { kernel, cpus, node },
    agents: [...new Set(points.map(({ lane }) => lane.agent))],
    results: results.map(({ id }) => id),
    cpuSecondsPerAttempt: cpu?.other ?? null,
    cpuCoresIdle: cpu?.one ?? null,
    rssBytesPerPoller: rss?.other ?? null,
    rssBytesIdle: rss?.one ?? null,
    attemptsPerSecondSeen: Math.max(...points.map(peakRate)),
    attemptsPerSecond: atLimit.length === 0 ? null : Math.max(...atLimit.map(peakRate)),
    attemptsPerSecondPastHalf: ratePastHalf(heldUp),
    leastShareOfDemand: Math.min(...points.map(({ share }) => share)),
  };
}

function pointOf(result: Result, lane: LaneResult, readFaults: FaultReader): Point[] {
  const sandbox = measuredSandbox(result, lane, readFaults);
  if (typeof sandbox === 'string' || lane.connections.total === null) return [];
  const { connections } = simulate(sandbox);
  const attempts = lane.connections.total + (lane.connections.localFailures ?? 0);
  const demanded = connections.total + connections.localFailures;
  if (demanded === 0) return [];
  return [
    {
      lane,
      seconds: result.scenario.outageMs / 1e3,
      attempts,
      missing: demanded - attempts,
      share: attempts / demanded,
      shareAtPeak: (lane.connections.perSecondPeak ?? 0) / connections.perSecondPeak,
    },
  ];
}

/**
 * Whether a lane made fewer attempts because it was late. Then it dropped ticks, of up to two attempts
 * each; where it did not, the model is at fault, or the agent polls by another rule.
 */
function isHeldUp({ lane, shareAtPeak, missing }: Point): boolean {
  const dropped = lane.agentCount?.ticksDropped ?? 0;
  return (
    shareAtPeak < HELD_UP && lane.connections.localFailures === 0 && dropped * 2 >= missing / 2
  );
}

function peakRate({ lane }: Point): number {
  return lane.connections.perSecondPeak ?? 0;
}

function isPastHalf({ ports }: LaneResult): boolean {
  return ports.peak !== null && ports.capacity !== null && ports.peak * 2 >= ports.capacity;
}

/** The mean rate from two seconds after half of the ports were held; null where none were. */
function ratePastHalf(points: readonly Point[]): number | null {
  const rates = points.flatMap(({ lane }) => {
    const { tMs, portsInUse, connectionsPerSecond } = lane.series;
    const half = (lane.ports.capacity ?? Number.POSITIVE_INFINITY) / 2;
    const from = tMs[portsInUse.findIndex((ports) => (ports ?? 0) >= half)];
    if (from === undefined) return [];
    return connectionsPerSecond.filter(
      (rate, i): rate is number => rate !== null && (tMs[i] ?? 0) >= from + 2000,
    );
  });
  if (rates.length === 0) return null;
  return rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
}

/**
 * Least squares of value = a · one + b · other.
 * @returns null where the points do not tell the two apart, or one would be negative
 */
function fit(
  points: readonly Point[],
  read: (point: Point) => { one: number; other: number; value: number | null },
): { one: number; other: number } | null {
  let [aa, ab, bb, av, bv] = [0, 0, 0, 0, 0];
  for (const point of points) {
    const { one, other, value } = read(point);
    if (value === null) continue;
    aa += one * one;
    ab += one * other;
    bb += other * other;
    av += one * value;
    bv += other * value;
  }
  const determinant = aa * bb - ab * ab;
  if (!(determinant > aa * bb * 1e-6)) return null;
  const one = (av * bb - bv * ab) / determinant;
  const other = (bv * aa - av * ab) / determinant;
  return one >= 0 && other >= 0 ? { one, other } : null;
}
