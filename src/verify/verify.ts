import { availableParallelism } from 'node:os';
import { monotonicMs } from '../base/clock.js';
import { UsageError } from '../base/errors.js';
import { cleanText } from '../base/text.js';
import type { LaneSpec } from '../lane/spec.js';
import { type ScenarioVerdict, VERIFY_SCHEMA, type Verification } from '../results/verify.js';
import type { Shown } from './messages.js';
import { fail, type Scenario } from './scenario.js';
import { scenarios } from './scenarios/index.js';
import type { StageSpec } from './stage.js';
import { timesOf } from './times.js';
import { StageFailed, tryScenario } from './trial.js';

/** A program's scenarios wait for most of their time. */
const MOST_SIDE_BY_SIDE = 4;

export interface VerifyPlan {
  agent: LaneSpec['agent'];
  /** The agent whose version is to be another one. */
  base: LaneSpec['agent'] | null;
  isolation: LaneSpec['isolation'];
  scenarios: readonly Scenario[];
  repeats: number;
  toolVersion: string;
}

/** What ends it before its time: both at once, since half a scenario shows nothing. */
export interface VerifySignals {
  interrupt: AbortSignal;
}

/**
 * Puts an agent through scenarios, each on a stage of its own, several side by side.
 * @param onVerdict is told of every run as it ends: in one line, and what there is so far, which is
 *   not complete yet
 * @throws UsageError when the agent cannot be started at all
 */
export async function verify(
  plan: VerifyPlan,
  onVerdict: (line: string, soFar: Verification) => void,
  { interrupt }: VerifySignals,
): Promise<Verification> {
  const startedAt = new Date().toISOString();
  const beganMs = monotonicMs();
  const ending = new AbortController();
  const end = (): void => ending.abort();
  interrupt.addEventListener('abort', end);
  if (interrupt.aborted) end();
  try {
    const suite: Suite = new Suite(
      plan,
      (line) => onVerdict(line, documentOf(suite, false)),
      ending.signal,
    );
    await suite.run();
    return documentOf(suite, !ending.signal.aborted);
  } finally {
    // When one stage cannot be built, the others are of no use.
    end();
    interrupt.removeEventListener('abort', end);
  }

  function documentOf(suite: Suite, complete: boolean): Verification {
    return {
      schema: VERIFY_SCHEMA,
      agent: plan.agent.name,
      kind: plan.agent.kind,
      version: suite.version,
      base: plan.base?.name ?? null,
      isolation: plan.isolation,
      times: timesOf(plan.agent),
      tool: { version: plan.toolVersion },
      startedAt,
      durationMs: Math.round(monotonicMs() - beganMs),
      complete,
      scenarios: suite.verdicts(),
    };
  }
}

/** One suite under way. */
class Suite {
  version: string | null = null;
  private readonly shown = new Map<Scenario, Shown[]>();
  private hasStarted = false;
  private baseVersion: string | null = null;

  constructor(
    private readonly plan: VerifyPlan,
    private readonly onVerdict: (line: string) => void,
    private readonly signal: AbortSignal,
  ) {}

  async run(): Promise<void> {
    const { plan } = this;
    if (plan.base) this.baseVersion = await this.versionOf(plan.base);
    const jobs = Array.from({ length: plan.repeats }, () => plan.scenarios).flat();
    const together = jobs.filter(({ isAlone }) => !isAlone);
    const sideBySide =
      plan.agent.kind === 'external'
        ? MOST_SIDE_BY_SIDE
        : Math.min(MOST_SIDE_BY_SIDE, availableParallelism());
    await Promise.all(Array.from({ length: sideBySide }, () => this.work(together)));
    await this.work(jobs.filter(({ isAlone }) => isAlone));
  }

  verdicts(): ScenarioVerdict[] {
    return this.plan.scenarios.flatMap((scenario) => {
      const shown = this.shown.get(scenario);
      return shown ? [judge(scenario, shown)] : [];
    });
  }

  /** Takes jobs until there are none. */
  private async work(jobs: Scenario[]): Promise<void> {
    for (let job = jobs.shift(); job && !this.signal.aborted; job = jobs.shift()) {
      const beganMs = monotonicMs();
      const shown = await this.try(job);
      if (!shown) return;
      this.version = shown.version ?? this.version;
      const earlier = this.shown.get(job) ?? [];
      this.shown.set(job, [...earlier, shown]);
      const { repeats } = this.plan;
      const nth = repeats > 1 ? ` ${earlier.length + 1} of ${repeats}` : '';
      const took = ((monotonicMs() - beganMs) / 1e3).toFixed(1);
      const { verdict, reason } = shown.outcome;
      const why = verdict === 'pass' ? '' : `: ${reason}`;
      this.onVerdict(`${job.name}${nth}: ${verdict} (${took} s)${why}`);
    }
  }

  private async try(scenario: Scenario): Promise<Shown | undefined> {
    const { agent, isolation } = this.plan;
    const spec: StageSpec = { agent, isolation, baseVersion: this.baseVersion };
    try {
      const shown = await tryScenario(scenario, spec, this.signal);
      this.hasStarted ||= shown !== undefined;
      return shown;
    } catch (thrown) {
      if (!(thrown instanceof StageFailed)) throw thrown;
      // An agent that never started is a mistake of whoever named it; one that did has failed.
      if (!this.hasStarted) throw new UsageError(thrown.message);
      return { outcome: fail(thrown.message), timeline: [], version: null };
    }
  }

  private async versionOf(base: LaneSpec['agent']): Promise<string | null> {
    const scenario = scenarios.get('version');
    if (!scenario || !this.plan.scenarios.includes(scenario)) return null;
    const spec = { agent: base, isolation: this.plan.isolation, baseVersion: null };
    const shown = await tryScenario(scenario, spec, this.signal).catch((thrown) => {
      throw thrown instanceof StageFailed ? new UsageError(`--base: ${thrown.message}`) : thrown;
    });
    if (shown?.version === null) {
      throw new UsageError(`--base ${base.name} answers /init without X-Envd-Version`);
    }
    return shown?.version ?? null;
  }
}

/** One failure in any number of runs is a failure: that is what repeats are for. */
function judge(scenario: Scenario, shown: readonly Shown[]): ScenarioVerdict {
  const runs = { pass: 0, fail: 0, skipped: 0 };
  for (const { outcome } of shown) runs[outcome.verdict]++;
  const verdict = runs.fail > 0 ? 'fail' : runs.skipped > 0 ? 'skipped' : 'pass';
  const decisive = shown.findLast(({ outcome }) => outcome.verdict === verdict);
  const share =
    shown.length > 1 && runs[verdict] < shown.length
      ? `in ${runs[verdict]} of ${shown.length} runs: `
      : '';
  return {
    scenario: scenario.name,
    verdict,
    reason: cleanText(`${share}${decisive?.outcome.reason ?? ''}`, 500),
    timeline: decisive?.timeline ?? [],
    runs,
  };
}
