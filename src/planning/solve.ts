import { UsageError } from '../base/errors.js';
import type {
  PlanAgent,
  PlanAnswer,
  PlanInput,
  PlanReached,
  PlanSolution,
} from '../results/plan.js';
import { planAgent, TIME_WAIT_FULL } from './forward.js';
import { brokenLimit, type Limit } from './limits.js';
import type { Planned, PlannedAgent } from './sandbox.js';

/** What can be sought: within which range of whole numbers, and whether small or large is safe. */
interface Unknown {
  range: readonly [number, number];
  /** Whether the largest value that keeps the limits is sought, or the smallest. */
  largest: boolean;
  /** The plan's input with a value for it. */
  with: (input: PlanInput, value: number) => PlanInput;
}

const HOUR_MS = 3_600_000;

export const UNKNOWNS: ReadonlyMap<PlanSolution['solve'], Unknown> = new Map([
  [
    'interval',
    {
      range: [1, HOUR_MS],
      largest: false,
      with: (input, intervalMs) => ({ ...input, intervalMs }),
    },
  ],
  [
    'outage',
    { range: [1, HOUR_MS], largest: true, with: (input, outageMs) => ({ ...input, outageMs }) },
  ],
  [
    'sandboxes-per-host',
    {
      range: [1, 1_000_000],
      largest: true,
      with: (input, sandboxesPerHost) => ({ ...input, sandboxesPerHost }),
    },
  ],
] satisfies [PlanSolution['solve'], Unknown][]);

/**
 * Seeks the value at which the limits are just kept: the next one, 1 ms or 1 sandbox on, breaks one.
 * By bisection, with the forward model as the judge.
 * @throws UsageError where the limits cannot decide it: none, two that contradict, one unknown
 */
export function solve(
  planned: Planned,
  what: PlanSolution['solve'],
  limits: readonly Limit[],
): PlanSolution {
  const unknown = UNKNOWNS.get(what);
  if (!unknown) throw new UsageError(`nothing is known of --solve ${what}`);
  assertDecidable(planned, what, limits);
  return {
    solve: what,
    limits: limits.map(({ text }) => text),
    range: [...unknown.range],
    answers: planned.agents.map((agent) => answer(planned, agent, unknown, limits)),
  };
}

/**
 * The plans of the agents at the values found; without those that have none, and those that no limit
 * binds: the end of the range is no proposal, and what a sandbox comes to there no machine can do.
 */
export function planSolution(planned: Planned, { solve, answers }: PlanSolution): PlanAgent[] {
  return planned.agents.flatMap((agent, i) => {
    const { value = null, binds = null } = answers[i] ?? {};
    return value === null || binds === null ? [] : [planWith(planned, agent, solve, value)];
  });
}

/** The plan of an agent with a value for what is sought. */
export function planWith(
  planned: Planned,
  agent: PlannedAgent,
  what: PlanSolution['solve'],
  value: number,
): PlanAgent {
  const input = UNKNOWNS.get(what)?.with(planned.input, value) ?? planned.input;
  return planAgent({ ...planned, input }, agent);
}

function answer(
  planned: Planned,
  agent: PlannedAgent,
  unknown: Unknown,
  limits: readonly Limit[],
): PlanAnswer {
  const planAt = (value: number) =>
    planAgent({ ...planned, input: unknown.with(planned.input, value) }, agent);
  const broken = (value: number) => brokenLimit(planAt(value), limits);
  const [low, high] = unknown.range;
  const [safest, boldest] = unknown.largest ? [low, high] : [high, low];
  const atSafest = broken(safest);
  if (atSafest) return { agent: agent.name, value: null, binds: atSafest.text, reached: null };
  // The search widens from the safe end, so that nothing far larger than the answer is simulated.
  let kept = safest;
  let tooFar: number | undefined;
  while (tooFar === undefined) {
    const next = unknown.largest
      ? Math.min(kept * 4, boldest)
      : Math.max(Math.floor(kept / 4), boldest);
    if (broken(next)) tooFar = next;
    else if (next === boldest) {
      const reached = reachedAt(planAt(boldest), limits);
      return { agent: agent.name, value: boldest, binds: null, reached };
    } else kept = next;
  }
  while (Math.abs(tooFar - kept) > 1) {
    const middle = Math.floor((kept + tooFar) / 2);
    if (broken(middle)) tooFar = middle;
    else kept = middle;
  }
  return { agent: agent.name, value: kept, binds: broken(tooFar)?.text ?? null, reached: null };
}

/** How near a plan comes to limits that it keeps, and what keeps the ports from being used up. */
function reachedAt(plan: PlanAgent, limits: readonly Limit[]): PlanReached[] {
  const isFull = plan.limits.some(({ limit }) => limit === TIME_WAIT_FULL);
  return limits.map(({ text, of, figure }) => ({
    limit: text,
    of,
    value: figure(plan) ?? 0,
    heldBy: of === 'share of the ports' && isFull ? TIME_WAIT_FULL : null,
  }));
}

function assertDecidable(
  { input, calibration }: Planned,
  what: PlanSolution['solve'],
  limits: readonly Limit[],
): void {
  if (limits.length === 0) {
    throw new UsageError(
      '--solve needs a limit',
      'Add --max-pollers, --max-connections-per-second, --max-ports or --max-cpu',
    );
  }
  const cpu = limits.find(({ text }) => text.startsWith('--max-cpu'));
  if (cpu && (calibration?.cpuSecondsPerAttempt ?? null) === null) {
    throw new UsageError(
      `${cpu.text} needs to know what an attempt costs on your machine`,
      'Add --from with the results of at least two runs or lanes that differ in attempts',
    );
  }
  if (what === 'sandboxes-per-host') {
    if (!limits.some(({ isOfHost }) => isOfHost)) {
      throw new UsageError(
        '--max-ports and --solve sandboxes-per-host contradict: every sandbox has ports of its own',
        'Add a limit of the host, such as --max-connections-per-second',
      );
    }
    return;
  }
  const pollers = limits.find(({ text }) => text.startsWith('--max-pollers'));
  if (
    pollers &&
    pollers.most < input.sandboxesPerHost &&
    input.auth === 'stored' &&
    input.staggerMs === 0
  ) {
    throw new UsageError(
      `${pollers.text} and --sandboxes-per-host ${input.sandboxesPerHost} contradict: every sandbox has a poller`,
    );
  }
}
