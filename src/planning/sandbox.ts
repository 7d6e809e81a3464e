import { timeWaitLimit } from '../model/closed-form.js';
import type { ScheduledFault } from '../model/predict.js';
import type { SandboxInput } from '../model/simulation.js';
import type { Calibration, PlanInput } from '../results/plan.js';

/** An agent as the model needs it. */
export interface PlannedAgent {
  name: string;
  guarded: boolean;
  renews: boolean;
  acceptsEmptyStore: boolean;
}

/** All that a plan is made of. */
export interface Planned {
  input: PlanInput;
  /** `input.fault`, read. */
  faults: readonly ScheduledFault[];
  agents: readonly PlannedAgent[];
  calibration: Calibration | null;
}

/** The sandbox of a plan as the model takes it. */
export function sandboxOf(planned: Planned, agent: PlannedAgent): SandboxInput {
  const { input, faults, calibration } = planned;
  const { guarded, renews, acceptsEmptyStore } = agent;
  const [low, high] = input.guest.portRange;
  return {
    ...input,
    faults,
    guarded,
    renews,
    acceptsEmptyStore,
    guest: { ports: high - low + 1, timeWait: timeWaitLimit(input.guest.memoryBytes) },
    machine: {
      attemptsPerSecond: calibration?.attemptsPerSecond ?? null,
      attemptsPerSecondPastHalf: calibration?.attemptsPerSecondPastHalf ?? null,
    },
  };
}
