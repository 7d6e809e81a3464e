import type { AgentChoice } from '../agents/agent-choice.js';
import { monotonicMs, sleptMs } from '../base/clock.js';
import { UsageError } from '../base/errors.js';
import { type LaneEnd, LaneHandle } from '../lane/launch.js';
import type { LaneSpec } from '../lane/spec.js';
import type { LaneResult, Result } from '../results/schema.js';
import { newId } from '../results/store.js';
import { type Sample, SeriesRecorder } from '../results/thin.js';
import type { Isolation } from './isolation.js';
import { laneSpec } from './lane-spec.js';
import {
  emptyResult,
  type LaneMeasured,
  makeLane,
  makeResult,
  type RunFrame,
} from './make-result.js';
import type { Scenario } from './scenario.js';

/** Is told how a run goes on. */
export interface RunObserver {
  start(lanes: readonly string[], outageMs: number): void;
  sample(lane: string, sample: Sample): void;
  /** Something that a person must know at once, in one line. */
  say(line: string): void;
  stop(): void;
}

/** Keeps what a run measures as it comes, so that it outlives this process. */
export interface RunKeeper {
  /** Measuring begins. @param empty the result as it is before that */
  begin(empty: Result): void;
  sample(lane: string, sample: Sample): void;
  /** @param isWhole false when the lane ended before its time */
  laneEnd(lane: LaneResult, isWhole: boolean): void;
}

/** What ends a run before its time. */
export interface RunSignals {
  /** Ends the outage now; what was measured makes a partial result. */
  interrupt: AbortSignal;
  /** Ends everything at once. */
  kill: AbortSignal;
}

/** Starts a lane. */
export type LaneLauncher = (
  spec: LaneSpec,
  onSample: (sample: Sample) => void,
) => Pick<LaneHandle, 'ready' | 'ended' | 'go' | 'stop' | 'kill'>;

/** From all lanes being ready to the first `/init`, ms. */
const LEAD_MS = 100;

/** How long lanes may take to an end after an interrupt, ms: with their own it is under five seconds. */
const INTERRUPTED_WITHIN_MS = 4_000;

/** Golden ratio: lanes whose first `/init`s lie so far apart never fall onto one instant. */
const PHASE = 0.381966;

/**
 * Runs one scenario: all lanes side by side, or in turn.
 * @param launch starts a lane; a process of its own where it is left out
 * @throws UsageError when a lane cannot be set up
 */
export async function runScenario(
  scenario: Scenario,
  isolation: Isolation,
  observer: RunObserver,
  signals: RunSignals,
  keeper?: RunKeeper,
  launch: LaneLauncher = (spec, onSample) => new LaneHandle(spec, onSample),
): Promise<Result> {
  const startedAt = new Date();
  const sleptBefore = sleptMs();
  const frame: RunFrame = { id: newId(startedAt), startedAt, scenario, isolation };
  const { agents, record } = scenario;
  const measured = new Map<AgentChoice, LaneMeasured>();
  const watch = keeping(frame, observer, keeper);
  const groups = record.sequential
    ? inTurn(agents, record.repeat.index).map((agent) => [agent])
    : [agents];
  for (const group of groups) {
    if (signals.interrupt.aborted) break;
    try {
      const done = await runTogether(group, scenario, isolation, watch, signals, launch);
      for (const [agent, end] of done) {
        const lane = { end, samples: watch.samplesOf(agent.name) };
        measured.set(agent, lane);
        keeper?.laneEnd(makeLane(frame, agent, lane), end.isWhole);
      }
    } catch (thrown) {
      // What other lanes have measured is not thrown away with it.
      if (!(thrown instanceof UsageError) || measured.size === 0) throw thrown;
      const end = { outcome: undefined, isWhole: false, message: thrown.message, notes: [] };
      const samples = new SeriesRecorder();
      for (const agent of group) measured.set(agent, { end, samples });
    }
  }
  return makeResult(frame, measured, {
    // After the end of all outages there is nothing to interrupt.
    wasInterrupted:
      signals.interrupt.aborted && !agents.every((one) => measured.get(one)?.end.isWhole),
    sleptMs: sleptMs() - sleptBefore,
  });
}

/** Lets the keeper see what the observer sees, and remembers every lane's samples. */
function keeping(frame: RunFrame, observer: RunObserver, keeper: RunKeeper | undefined) {
  const recorders = new Map<string, SeriesRecorder>();
  const samplesOf = (lane: string): SeriesRecorder => {
    const recorder = recorders.get(lane) ?? new SeriesRecorder();
    recorders.set(lane, recorder);
    return recorder;
  };
  let hasBegun = false;
  return {
    samplesOf,
    start(lanes: readonly string[], outageMs: number): void {
      // Not before: of a run that is cut off in set-up there is nothing to keep.
      if (!hasBegun) keeper?.begin(emptyResult(frame));
      hasBegun = true;
      observer.start(lanes, outageMs);
    },
    sample(lane: string, sample: Sample): void {
      samplesOf(lane).add(sample);
      keeper?.sample(lane, sample);
      observer.sample(lane, sample);
    },
    say: (line: string) => observer.say(line),
    stop: () => observer.stop(),
  };
}

/** Every other repeat runs the lanes in the opposite order (ABBA), so that no order is favoured. */
function inTurn(agents: readonly AgentChoice[], repeat: number): AgentChoice[] {
  return repeat % 2 === 1 ? [...agents] : [...agents].reverse();
}

async function runTogether(
  agents: readonly AgentChoice[],
  scenario: Scenario,
  isolation: Isolation,
  observer: RunObserver,
  { interrupt, kill }: RunSignals,
  launch: LaneLauncher,
): Promise<Map<AgentChoice, LaneEnd>> {
  const lanes = agents.map((agent) => ({
    agent,
    handle: launch(laneSpec(scenario, agent, isolation.kind), (sample) =>
      observer.sample(agent.name, sample),
    ),
  }));
  let isRunning = false;
  let patience: NodeJS.Timeout | undefined;
  const killAll = (why: string): void => {
    for (const { handle } of lanes) handle.kill(why);
  };
  const onInterrupt = (): void => {
    if (!isRunning) {
      // A lane that is not set up yet has nothing to tell.
      killAll('interrupted in set-up');
      return;
    }
    for (const { handle } of lanes) handle.stop();
    const seconds = INTERRUPTED_WITHIN_MS / 1e3;
    patience = setTimeout(
      () => killAll(`had not ended ${seconds} s after the interrupt`),
      INTERRUPTED_WITHIN_MS,
    );
  };
  const onKill = (): void => killAll('ended at once by a second interrupt');
  interrupt.addEventListener('abort', onInterrupt);
  kill.addEventListener('abort', onKill);
  try {
    await Promise.all(lanes.map(({ handle }) => handle.ready));
    isRunning = true;
    observer.start(
      agents.map(({ name }) => name),
      scenario.record.outageMs,
    );
    const startMs = monotonicMs() + LEAD_MS;
    lanes.forEach(({ handle }, i) => {
      handle.go(startMs + ((i * PHASE) % 1) * scenario.record.intervalMs);
    });
    if (interrupt.aborted) onInterrupt();
  } catch (thrown) {
    killAll('ended with another lane, which could not be set up');
    await Promise.all(lanes.map(({ handle }) => handle.ended));
    if (!interrupt.aborted) throw new UsageError((thrown as Error).message);
  }
  const ends = await Promise.all(
    lanes.map(async ({ agent, handle }) => {
      const end = await handle.ended;
      const trouble = end.outcome?.trouble ?? end.message;
      if (trouble && !interrupt.aborted) observer.say(trouble);
      return [agent, end] as const;
    }),
  );
  clearTimeout(patience);
  observer.stop();
  interrupt.removeEventListener('abort', onInterrupt);
  kill.removeEventListener('abort', onKill);
  return new Map(ends);
}
