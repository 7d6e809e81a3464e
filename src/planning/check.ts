import { UsageError } from '../base/errors.js';
import { isCloseARace } from '../model/conduct.js';
import { type SandboxInput, type Simulation, simulate } from '../model/simulation.js';
import type { TraceSeries } from '../model/trace.js';
import type { Calibration, PlanCheckLane, PlanComparison } from '../results/plan.js';
import type { LaneResult, Result } from '../results/schema.js';
import { type FaultReader, measuredSandbox } from './measured.js';

/**
 * Holds the model against a measured run: every lane of a built-in agent, through the whole run.
 * @param calibration what is known of the machine; null: it is taken to have no limits
 */
export function checkResult(
  result: Result,
  readFaults: FaultReader,
  calibration: Calibration | null,
): PlanCheckLane[] {
  return result.lanes.map((lane) => {
    const named = { result: result.id, fault: result.scenario.fault, agent: lane.agent };
    const sandbox = result.complete
      ? measuredSandbox(result, lane, readFaults)
      : 'the run was interrupted';
    if (typeof sandbox === 'string') {
      return { ...named, comparisons: [], series: NO_SERIES, skipped: sandbox };
    }
    const simulation = simulated(sandbox, calibration);
    if (typeof simulation === 'string') {
      return { ...named, comparisons: [], series: NO_SERIES, skipped: simulation };
    }
    const most = isCloseARace(sandbox)
      ? simulated({ ...sandbox, mmdsClose: 'agent' }, calibration)
      : null;
    return {
      ...named,
      comparisons:
        most === null
          ? comparisonsOf(lane, simulation)
          : withRace(comparisonsOf(lane, simulation), typeof most === 'string' ? null : most),
      series: {
        pollers: distance(lane, simulation.series, 'pollers'),
        connectionsPerSecond: distance(lane, simulation.series, 'connectionsPerSecond'),
        portsInUse: most === null ? distance(lane, simulation.series, 'portsInUse') : null,
      },
      skipped: null,
    };
  });
}

const PORTS_PEAK = 'ports peak';
const NO_SERIES = { pollers: null, connectionsPerSecond: null, portsInUse: null };

/** @returns why it is not simulated, as a text, where that is too much work */
function simulated(sandbox: SandboxInput, calibration: Calibration | null): Simulation | string {
  try {
    return simulate({
      ...sandbox,
      machine: {
        attemptsPerSecond: calibration?.attemptsPerSecond ?? null,
        attemptsPerSecondPastHalf: calibration?.attemptsPerSecondPastHalf ?? null,
      },
    });
  } catch (thrown) {
    if (thrown instanceof UsageError) return `too much to simulate: ${thrown.what}`;
    throw thrown;
  }
}

/** What is said of the ports where chance decides who keeps TIME_WAIT: between what, and no verdict. */
function withRace(comparisons: PlanComparison[], most: Simulation | null): PlanComparison[] {
  return comparisons.map((comparison) => {
    if (!comparison.figure.startsWith('ports')) return comparison;
    const isPeak = comparison.figure === PORTS_PEAK && most !== null;
    return {
      ...comparison,
      predicted: null,
      range: isPeak ? [comparison.predicted ?? 0, most.ports.peak] : null,
      error: null,
      verdict: 'no verdict',
    };
  });
}

/** Whether a figure of any lane was held against the model at all. */
export function hasCompared(lanes: readonly PlanCheckLane[]): boolean {
  return lanes.some(({ comparisons }) =>
    comparisons.some(({ verdict }) => verdict === 'pass' || verdict === 'fail'),
  );
}

/** Whether no figure of any lane is further off than it may be. */
export function holds(lanes: readonly PlanCheckLane[]): boolean {
  return lanes.every(({ comparisons }) => comparisons.every(({ verdict }) => verdict !== 'fail'));
}

/**
 * A run ends a few ms late or early: one tick of all pollers more or less is no error of the model,
 * nor are sockets that a sample finds in the middle of an attempt.
 */
function comparisonsOf(lane: LaneResult, model: Simulation): PlanComparison[] {
  const aTick = 2 * model.pollers.peak;
  const { capacity } = model.ports;
  return [
    compare('pollers peak', lane.pollers.peak, model.pollers.peak, 0.02, 1),
    compare('connections total', lane.connections.total, model.connections.total, 0.02, aTick),
    compare(
      'connections/s peak',
      lane.connections.perSecondPeak,
      model.connections.perSecondPeak,
      0.05,
      2,
    ),
    compare(PORTS_PEAK, lane.ports.peak, model.ports.peak, 0.05, aTick + capacity / 1000),
    exhaustion(lane, model),
  ];
}

function compare(
  figure: string,
  measured: number | null,
  predicted: number,
  tolerance: number,
  slack: number,
): PlanComparison {
  if (measured === null) {
    return { figure, measured, predicted, range: null, error: null, tolerance, verdict: 'no data' };
  }
  const off = predicted - measured;
  const error = measured === 0 && off === 0 ? 0 : off / measured;
  return {
    figure,
    measured,
    predicted,
    range: null,
    // Over 0, or next to it, there is no share.
    error: Number.isFinite(error) ? error : null,
    tolerance,
    verdict: Math.abs(off) <= Math.max(tolerance * measured, slack) ? 'pass' : 'fail',
  };
}

/** When the ports ran out: within 5 %, or two samples. */
function exhaustion(lane: LaneResult, model: Simulation): PlanComparison {
  const measured = lane.ports.exhaustedAtMs;
  const predicted = model.ports.exhaustedAtMs;
  if (measured !== null && predicted !== null) {
    return compare('ports exhausted at, ms', measured, predicted, 0.05, 200);
  }
  const isSame = measured === predicted;
  const verdict = lane.ports.peak === null ? 'no data' : isSame ? 'pass' : 'fail';
  return {
    figure: 'ports exhausted at, ms',
    measured,
    predicted,
    range: null,
    error: null,
    tolerance: 0.05,
    verdict,
  };
}

/** The mean distance of two series over a run, as a share of the larger peak. */
function distance(
  { series: measured }: LaneResult,
  model: TraceSeries,
  name: 'pollers' | 'connectionsPerSecond' | 'portsInUse',
): number | null {
  let sum = 0;
  let samples = 0;
  let largest = 0;
  let at = 0;
  measured.tMs.forEach((tMs, i) => {
    const value = measured[name][i] ?? null;
    if (value === null) return;
    while ((model.tMs[at + 1] ?? Number.POSITIVE_INFINITY) <= tMs) at++;
    const predicted = model[name][at] ?? 0;
    sum += Math.abs(predicted - value);
    largest = Math.max(largest, predicted, value);
    samples++;
  });
  if (samples === 0) return null;
  if (largest === 0) return 0;
  const share = sum / samples / largest;
  return Number.isFinite(share) ? share : null;
}
