import type { AgentChoice } from '../agents/agent-choice.js';
import { monotonicMs, sleptMs } from '../base/clock.js';
import { UsageError } from '../base/errors.js';
import { type LaneEnd, LaneHandle } from '../lane/launch.js';
import type { Result } from '../results/schema.js';
import type { Sample } from '../results/thin.js';
import type { Isolation } from './isolation.js';
import { laneSpec } from './lane-spec.js';
import { makeResult } from './make-result.js';
import type { Scenario } from './scenario.js';

/** Is told how a run goes on. */
export interface RunObserver {
  start(lanes: readonly string[], outageMs: number): void;
  sample(lane: string, sample: Sample): void;
  stop(): void;
}

/** What ends a run before its time. */
export interface RunSignals {
  /** Ends the outage now; what was measured makes a partial result. */
  interrupt: AbortSignal;
  /** Ends everything at once. */
  kill: AbortSignal;
}

/** From all lanes being ready to the first `/init`, ms. */
const LEAD_MS = 100;

/** Golden ratio: lanes whose first `/init`s lie so far apart never fall onto one instant. */
const PHASE = 0.381966;

/**
 * Runs one scenario: all lanes side by side, or in turn.
 * @throws UsageError when a lane cannot be set up
 */
export async function runScenario(
  scenario: Scenario,
  isolation: Isolation,
  observer: RunObserver,
  signals: RunSignals,
): Promise<Result> {
  const startedAt = new Date();
  const sleptBefore = sleptMs();
  const { agents, record } = scenario;
  const ends = new Map<AgentChoice, LaneEnd>();
  const groups = record.sequential
    ? inTurn(agents, record.repeat.index).map((agent) => [agent])
    : [agents];
  for (const group of groups) {
    if (signals.interrupt.aborted) break;
    try {
      const done = await runTogether(group, scenario, isolation, observer, signals);
      for (const [agent, end] of done) ends.set(agent, end);
    } catch (thrown) {
      // What other lanes have measured is not thrown away with it.
      if (!(thrown instanceof UsageError) || ends.size === 0) throw thrown;
      const end = { outcome: undefined, isWhole: false, message: thrown.message };
      for (const agent of group) ends.set(agent, end);
    }
  }
  return makeResult({
    scenario,
    isolation,
    startedAt,
    ends,
    sleptMs: sleptMs() - sleptBefore,
    wasInterrupted: signals.interrupt.aborted,
  });
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
): Promise<Map<AgentChoice, LaneEnd>> {
  const lanes = agents.map((agent) => ({
    agent,
    handle: new LaneHandle(laneSpec(scenario, agent, isolation.kind), (sample) =>
      observer.sample(agent.name, sample),
    ),
  }));
  let isRunning = false;
  const onInterrupt = (): void => {
    // A lane that is not set up yet has nothing to tell.
    for (const { handle } of lanes) isRunning ? handle.stop() : handle.kill();
  };
  const onKill = (): void => {
    for (const { handle } of lanes) handle.kill();
  };
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
    onKill();
    await Promise.all(lanes.map(({ handle }) => handle.ended));
    if (!interrupt.aborted) throw new UsageError((thrown as Error).message);
  }
  const ends = await Promise.all(
    lanes.map(async ({ agent, handle }) => [agent, await handle.ended] as const),
  );
  observer.stop();
  interrupt.removeEventListener('abort', onInterrupt);
  kill.removeEventListener('abort', onKill);
  return new Map(ends);
}
