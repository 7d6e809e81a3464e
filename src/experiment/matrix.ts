import { UsageError } from '../base/errors.js';
import type { Matrix, MatrixCell } from '../results/matrix.js';
import type { LaneResult, Result, Series } from '../results/schema.js';
import { SERIES, SeriesRecorder } from '../results/thin.js';
import type { Isolation } from './isolation.js';
import { preflight } from './preflight.js';
import { type RunObserver, type RunSignals, runScenario } from './run.js';
import { parseScenarios } from './scenario.js';
import type { ScenarioText } from './scenario-text.js';

/** One combination to be run. */
export interface CellChoice {
  fault: string;
  retry: string;
  poller: string;
}

/** What a cell keeps of a lane's series: enough for a picture, with minima and maxima kept. */
const POINTS = 120;

/** Every fault × retry policy × poller model, in the order of the faults. */
export function cellsOf(
  faults: readonly string[],
  retries: readonly string[],
  pollers: readonly string[],
): CellChoice[] {
  return faults.flatMap((fault) =>
    retries.flatMap((retry) => pollers.map((poller) => ({ fault, retry, poller }))),
  );
}

/** Those of `choices` that a matrix has no cell for yet. */
export function cellsLeft(choices: readonly CellChoice[], matrix: Matrix): CellChoice[] {
  return choices.filter(
    (choice) =>
      !matrix.cells.some(
        (cell) =>
          cell.fault === choice.fault &&
          cell.retry === choice.retry &&
          cell.poller === choice.poller,
      ),
  );
}

/**
 * Runs one cell.
 * @param text what all cells share
 * @returns undefined when it was interrupted: a part of an outage fills no cell
 */
export async function runCell(
  choice: CellChoice,
  text: ScenarioText,
  isolation: Isolation,
  observer: RunObserver,
  signals: RunSignals,
): Promise<MatrixCell | undefined> {
  const [scenario] = parseScenarios({ ...text, ...choice, repeat: '1' });
  if (!scenario) throw new Error('a cell without a scenario');
  let result: Result;
  try {
    preflight(scenario, isolation);
    result = await runScenario(scenario, isolation, observer, signals);
  } catch (thrown) {
    if (!(thrown instanceof UsageError)) throw thrown;
    return { ...choice, lanes: [], claims: [], skipped: thrown.message };
  }
  if (!result.complete) return undefined;
  return { ...choice, lanes: result.lanes.map(thinLane), claims: result.claims };
}

function thinLane(lane: LaneResult): LaneResult {
  return { ...lane, series: thin(lane.series) };
}

function thin(series: Series): Series {
  const recorder = new SeriesRecorder(POINTS);
  series.tMs.forEach((tMs, i) => {
    const values = SERIES.map((name) => [name, series[name][i] ?? null] as const);
    recorder.add({ tMs, ...Object.fromEntries(values) } as Parameters<SeriesRecorder['add']>[0]);
  });
  return recorder.series();
}
