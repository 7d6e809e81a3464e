import { Args, Flags, type Interfaces } from '@oclif/core';
import { EXIT, UsageError } from '../base/errors.js';
import { lookUp } from '../base/nearest.js';
import { parseScenarios } from '../experiment/scenario.js';
import { toolVersion } from '../experiment/version.js';
import { parseFaultSchedule } from '../mmds/schedule.js';
import { calibrate } from '../planning/calibrate.js';
import { checkResult, hasCompared, holds } from '../planning/check.js';
import { planAgent } from '../planning/forward.js';
import { assertIsSought, planned } from '../planning/input.js';
import { expandIntervals } from '../planning/intervals.js';
import { parseLimits } from '../planning/limits.js';
import type { FaultReader } from '../planning/measured.js';
import { planSolution, solve, UNKNOWNS } from '../planning/solve.js';
import { writeReport } from '../report/output.js';
import { renderPlanCheck, renderPlanCheckMarkdown } from '../report/plan/check.js';
import { renderPlanCsv } from '../report/plan/csv.js';
import { renderPlanHtml } from '../report/plan/html.js';
import { renderPlanTable } from '../report/plan/table.js';
import { terminalOf } from '../report/terminal.js';
import { type Calibration, PLAN_SCHEMA, type Plan, type PlanCheck } from '../results/plan.js';
import { BaseCommand } from './base-command.js';
import { scenarioFlags, scenarioText } from './scenario-flags.js';

const json = (documents: readonly unknown[]): string =>
  `${JSON.stringify(documents.length === 1 ? documents[0] : documents, null, 1)}\n`;

const FORMATS = new Map<
  string,
  (plans: readonly Plan[], view: ReturnType<typeof terminalOf>) => string
>([
  ['table', renderPlanTable],
  ['csv', renderPlanCsv],
  ['html', renderPlanHtml],
  ['json', json],
]);

const {
  isolation: _isolation,
  headroom: _headroom,
  sequential: _sequential,
  repeat: _repeat,
  'poll-function': _pollFunction,
  'stack-dump': _stackDump,
  ...plannedFlags
} = scenarioFlags;

const readFaults: FaultReader = (text) =>
  parseFaultSchedule(text, 'fault').map(({ atMs, fault }) => ({ atMs, ...fault }));

export default class PlanCommand extends BaseCommand {
  static override summary = 'Capacity planning: what a sandbox, a host and a fleet come to';
  static override description =
    `Nothing is run: an event-by-event model of one sandbox, which can be held against measured runs with --check. What depends on the machine is left out without --from.

Limits of --solve: --max-pollers, --max-connections-per-second and --max-cpu are those of a host with all its sandboxes; --max-ports is a share of each sandbox's ports.

Exit codes: 0 done; 1 no value keeps the limits, or a --check is further off than it may be; 2 bad input, or a --check with nothing that could be compared.`;
  static override examples = [
    '<%= config.bin %> plan --interval 100ms --outage 60s --sandboxes-per-host 200 --hosts 50',
    '<%= config.bin %> plan --fault http-error --guest-memory 24GiB --poller envd',
    '<%= config.bin %> plan --solve interval --fault http-error --guest-memory 24GiB --max-ports 50%',
    '<%= config.bin %> plan --solve sandboxes-per-host --max-cpu 0.5 --from bench-results/ID.json',
    '<%= config.bin %> plan --interval 50ms..5s --format html --output plan.html',
    '<%= config.bin %> plan --check bench-results/ID.json --format markdown',
  ];
  static override args = {
    file: Args.string({ multiple: true, description: 'more results for --check' }),
  };
  static override flags = {
    ...plannedFlags,
    interval: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      helpValue: '100ms',
      summary:
        'time between two /init requests, a comma list, or a range 50ms..5s [default: 100ms]',
    }),
    outage: Flags.string({ summary: 'how long the fault holds [default: 60s]' }),
    'sandboxes-per-host': Flags.string({ summary: 'sandboxes on a host [default: 1]' }),
    hosts: Flags.string({ default: '1', summary: 'hosts in the fleet' }),
    stagger: Flags.string({
      helpValue: '30s',
      summary: 'the outages begin at chance within this time [default: all at once]',
    }),
    seed: Flags.string({ default: '1', summary: 'of the chance in --stagger' }),
    solve: Flags.string({ summary: `seek the safe value: ${[...UNKNOWNS.keys()].join(', ')}` }),
    'max-pollers': Flags.string({ summary: 'pollers on a host' }),
    'max-connections-per-second': Flags.string({ summary: 'connections/s on a host' }),
    'max-ports': Flags.string({ helpValue: '50%', summary: "share of a sandbox's ports" }),
    'max-cpu': Flags.string({ helpValue: '0.5', summary: 'cores on a host; needs --from' }),
    from: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'FILE',
      summary: 'a measured result to calibrate with; repeat it',
    }),
    check: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'FILE',
      summary: 'hold the model against a measured result; repeat it',
    }),
    format: Flags.string({
      default: 'table',
      summary: `${[...FORMATS.keys()].join(', ')}; with --check table, markdown or json`,
    }),
    json: Flags.boolean({ summary: 'the same as --format json' }),
    output: Flags.string({ helpValue: 'FILE', summary: 'where it goes [default: stdout]' }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(PlanCommand);
    const format = flags.json ? 'json' : flags.format;
    const sources = flags.from ?? [];
    const calibration = sources.length === 0 ? null : calibrate(await loadAll(sources), readFaults);
    if (flags.check) {
      const files = [...flags.check, ...(args.file ?? [])];
      const check = await this.check(files, calibration);
      const render = lookUp('format', format, CHECK_FORMATS);
      await this.emit(flags.output, (view) => render(check, view), [...sources, ...files]);
      if (!hasCompared(check.lanes)) {
        throw new UsageError(
          `nothing could be compared: ${check.lanes[0]?.skipped ?? 'no figure was measured'}`,
          'Give a complete result of built-in agents: envd-bench run',
        );
      }
      if (!holds(check.lanes)) process.exitCode = EXIT.failed;
      return;
    }
    if (args.file) throw new UsageError(`unexpected ${args.file[0]}`, 'Give results with --check');
    const render = lookUp('format', format, FORMATS);
    const plans = this.plans(flags, calibration);
    await this.emit(flags.output, (view) => render(plans, view), sources);
    const answers = plans.flatMap(({ solution }) => solution?.answers ?? []);
    if (answers.some(({ value }) => value === null)) process.exitCode = EXIT.failed;
  }

  private plans(flags: PlanFlags, calibration: Calibration | null): Plan[] {
    const sought = flags.solve === undefined ? undefined : assertIsSought(flags.solve, flags);
    const limits = parseLimits({
      maxPollers: flags['max-pollers'],
      maxConnectionsPerSecond: flags['max-connections-per-second'],
      maxPorts: flags['max-ports'],
      maxCpu: flags['max-cpu'],
    });
    if (limits[0] && !sought) {
      throw new UsageError(
        `${limits[0].text} without --solve`,
        'Say what is sought: --solve interval',
      );
    }
    const interval = expandIntervals(flags.interval ?? ['100ms']);
    const scenarios = parseScenarios(
      scenarioText({
        ...flags,
        interval,
        outage: flags.outage ?? '60s',
        isolation: 'auto',
        headroom: false,
        sequential: false,
        repeat: '1',
        'poll-function': 'none',
        'stack-dump': 'off',
      }),
    );
    return scenarios.map(({ record, faults, agents }) => {
      const plan = planned(record, {
        faults: faults.map(({ atMs, fault }) => ({ atMs, ...fault })),
        agents,
        calibration,
        sandboxesPerHost: flags['sandboxes-per-host'] ?? '1',
        hosts: flags.hosts,
        stagger: flags.stagger,
        seed: flags.seed,
      });
      const solution = sought ? solve(plan, sought, limits) : null;
      return {
        schema: PLAN_SCHEMA,
        tool: { version: toolVersion() },
        input: plan.input,
        calibration,
        agents: solution
          ? planSolution(plan, solution)
          : plan.agents.map((agent) => planAgent(plan, agent)),
        solution,
      };
    });
  }

  private async check(
    files: readonly string[],
    calibration: Calibration | null,
  ): Promise<PlanCheck> {
    const results = await loadAll(files);
    return {
      schema: 'envd-bench/plan-check/v1',
      tool: { version: toolVersion() },
      calibration,
      lanes: results.flatMap((result) => checkResult(result, readFaults, calibration)),
    };
  }

  private async emit(
    output: string | undefined,
    render: (view: ReturnType<typeof terminalOf>) => string,
    sources: readonly string[],
  ): Promise<void> {
    const { env } = process;
    if (output !== undefined) {
      await writeReport(output, render(terminalOf({}, { isTTY: false, env })), sources);
    } else {
      const isTTY = process.stdout.isTTY === true;
      await this.print(render(terminalOf(process.stdout, { isTTY, env })));
    }
  }
}

const CHECK_FORMATS = new Map<
  string,
  (check: PlanCheck, view: ReturnType<typeof terminalOf>) => string
>([
  ['table', renderPlanCheck],
  ['markdown', renderPlanCheckMarkdown],
  ['json', (check) => json([check])],
]);

type PlanFlags = Interfaces.InferredFlags<typeof PlanCommand.flags>;

/** Imports the reader of results only where there is one to read: its schemas take long to load. */
async function loadAll(files: readonly string[]) {
  const { loadResult } = await import('../results/store.js');
  const results = [];
  for (const file of files) results.push(await loadResult(file));
  return results;
}
