import { timeWaitLimit } from '../model/closed-form.js';
import type { ScheduledFault } from '../model/predict.js';
import type { SandboxInput } from '../model/simulation.js';
import { workObstacle } from '../model/work.js';
import type { LaneResult, Result } from '../results/schema.js';

/** Reads a result's `scenario.fault`. */
export type FaultReader = (text: string) => readonly ScheduledFault[];

/** The kernel's default range of ephemeral ports. */
export const DEFAULT_PORT_RANGE: [number, number] = [32_768, 60_999];

/** What the built-in guards do, as the model needs it (src/agents/guards). */
export function guardRules(guard: string): {
  guarded: boolean;
  renews: boolean;
  acceptsEmptyStore: boolean;
} {
  const renews = guard === 'guarded-rearm';
  return { guarded: guard !== 'unguarded', renews, acceptsEmptyStore: !renews };
}

/**
 * The sandbox that a lane of a result was, on a machine without limits.
 * @returns why it cannot be had, as a text, where the lane is not one the model knows
 */
export function measuredSandbox(
  result: Result,
  lane: LaneResult,
  readFaults: FaultReader,
): SandboxInput | string {
  const { scenario } = result;
  if (lane.guard === null) return 'by which rule an external agent polls is not known';
  if (lane.trouble !== null) return `the lane had trouble: ${lane.trouble}`;
  const obstacle = workObstacle(scenario);
  if (obstacle !== undefined) return `too much to simulate: ${obstacle}`;
  const { memoryBytes, portRange } = scenario.guest;
  const [low, high] = portRange ?? DEFAULT_PORT_RANGE;
  const timeWait = memoryBytes === null ? Number.POSITIVE_INFINITY : timeWaitLimit(memoryBytes);
  return {
    ...scenario,
    ...guardRules(lane.guard),
    faults: readFaults(scenario.fault),
    retryPauseMs: scenario.retryPauseMs ?? 0,
    retryBudgetMs: scenario.retryBudgetMs ?? scenario.outageMs,
    guest: {
      ports: lane.ports.capacity ?? high - low + 1,
      timeWait: lane.kernel.timeWaitLimit ?? timeWait,
    },
    machine: { attemptsPerSecond: null, attemptsPerSecondPastHalf: null },
  };
}
