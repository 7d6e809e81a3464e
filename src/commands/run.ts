import { Flags } from '@oclif/core';
import { guards } from '../agents/guards/index.js';
import { EXIT } from '../base/errors.js';
import { lookUp } from '../base/nearest.js';
import { chooseIsolation } from '../experiment/isolation.js';
import { preflight } from '../experiment/preflight.js';
import { runScenario } from '../experiment/run.js';
import { parseScenarios } from '../experiment/scenario.js';
import { faults } from '../mmds/faults/index.js';
import { retryPolicies } from '../orchestrator/retry/index.js';
import { REPORT_FORMATS } from '../report/index.js';
import { createProgress } from '../report/progress.js';
import { terminalOf } from '../report/terminal.js';
import type { Result } from '../results/schema.js';
import { prepareOut, rescueResult, saveResult, UnsavedError } from '../results/store.js';
import { BaseCommand } from './base-command.js';
import { Interrupts } from './interrupts.js';

export default class Run extends BaseCommand {
  static override summary = 'The storm, side by side: drives /init while MMDS is unavailable';
  static override description =
    `Every agent gets a lane: a network of its own, an MMDS of its own, a driver and a sampler. The figures are the kernel's.

Agents: ${[...guards.values()].map(({ name, summary }) => `${name} (${summary})`).join('; ')}.

Faults: ${[...faults.values()].map(({ name, summary }) => `${name} (${summary})`).join('; ')}.

Retry policies: ${[...retryPolicies.values()].map(({ name, summary }) => `${name} (${summary})`).join('; ')}.

Exit codes: 0 done; 1 an agent failed or never answered /init; 2 bad input or an environment that cannot do it; 130 interrupted, with the partial result saved.`;
  static override examples = [
    '<%= config.bin %> run --interval 100ms',
    '<%= config.bin %> run --interval 100ms --outage 10s --json',
    '<%= config.bin %> run --fault http-error --poller envd --guest-memory 512MiB',
    "<%= config.bin %> run --fault 'refused@0s,hijack@20s,none@50s'",
    '<%= config.bin %> run --interval 50ms,100ms,1s --repeat 3 --sequential',
    '<%= config.bin %> run --poller envd --agent "base=./envd-old -isnotfc -no-cgroups" --agent "head=./envd-new -isnotfc -no-cgroups"',
  ];
  static override flags = {
    interval: Flags.string({
      default: ['100ms'],
      multiple: true,
      multipleNonGreedy: true,
      helpValue: '100ms',
      summary: 'time between two /init requests; a comma list or repeats make a sweep',
    }),
    outage: Flags.string({
      default: '60s',
      summary: 'how long the fault holds and /init is driven',
    }),
    fault: Flags.string({
      default: 'refused',
      summary: 'how MMDS is unavailable: one fault, or a schedule such as refused@0s,none@50s',
    }),
    retry: Flags.string({
      default: 'fixed',
      summary: `how /init is repeated: ${[...retryPolicies.keys()].join(' or ')}`,
    }),
    'init-timeout': Flags.string({
      summary: 'timeout of one /init [default: 10s when fixed, 50ms when orchestrator]',
    }),
    'retry-pause': Flags.string({
      default: '5ms',
      summary: 'pause after a failed /init (orchestrator)',
    }),
    'retry-budget': Flags.string({
      default: '10s',
      summary: 'how long the orchestrator tries in all',
    }),
    poller: Flags.string({
      default: 'issue',
      summary:
        'issue: both requests of a tick are attempted whatever the first did; envd: a failed first ends it',
    }),
    auth: Flags.string({
      default: 'stored',
      summary:
        "whether /init's access token is known already (stored) or must be asked of MMDS (mmds)",
    }),
    'boot-poller': Flags.boolean({
      default: false,
      summary: "also start envd's poller at boot, which no guard covers",
    }),
    agent: Flags.string({
      default: ['unguarded', 'guarded'],
      multiple: true,
      multipleNonGreedy: true,
      summary:
        'an agent under test: a built-in name, or NAME=COMMAND for a program of yours; repeat it',
    }),
    'poll-function': Flags.string({
      default: 'PollForMMDSOpts',
      summary: "the Go function that polls, counted in a program's stack dump",
    }),
    'stack-dump': Flags.string({
      default: 'on',
      summary: 'off: a program gets no SIGQUIT at the end, and its pollers stay an estimate',
    }),
    isolation: Flags.string({
      default: 'auto',
      options: ['auto', 'netns', 'loopback'],
      summary: 'how lanes are kept apart',
    }),
    'mmds-close': Flags.string({
      default: 'auto',
      summary: 'who closes a served connection first: agent, mmds, or auto (as the fault has it)',
    }),
    'mmds-version': Flags.string({ default: 'V2', summary: 'MMDS V2 (with tokens) or V1' }),
    'guest-memory': Flags.string({
      default: '1GiB',
      summary: "the guest's memory, which sets its TIME_WAIT limit; host leaves this machine's",
    }),
    'guest-cpus': Flags.string({
      default: '2',
      summary: "the guest's processors; host leaves this machine's",
    }),
    'port-range': Flags.string({
      helpValue: '32768-60999',
      summary: "the guest's ephemeral ports [default: the kernel's own]",
    }),
    sequential: Flags.boolean({
      default: false,
      summary: 'lanes in turn (alternating order), not side by side',
    }),
    repeat: Flags.string({ default: '1', summary: 'how often the run is repeated' }),
    out: Flags.string({ default: 'bench-results', summary: 'where results go; one file a run' }),
    json: Flags.boolean({ summary: 'print the result as JSON; an array for a sweep or repeats' }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(Run);
    const scenarios = parseScenarios({
      ...flags,
      initTimeout: flags['init-timeout'],
      retryPause: flags['retry-pause'],
      retryBudget: flags['retry-budget'],
      bootPoller: flags['boot-poller'],
      mmdsClose: flags['mmds-close'],
      mmdsVersion: flags['mmds-version'],
      guestMemory: flags['guest-memory'],
      guestCpus: flags['guest-cpus'],
      portRange: flags['port-range'],
      pollFunction: flags['poll-function'],
      stackDump: flags['stack-dump'],
    });
    const out = await prepareOut(flags.out);
    const isolation = await chooseIsolation(flags.isolation);
    for (const scenario of scenarios) preflight(scenario, isolation);
    const progress = createProgress(process.stderr, {
      isTTY: process.stderr.isTTY === true,
      env: process.env,
    });
    const signals = new Interrupts(() =>
      progress.say('interrupted: saving what there is (again to leave at once)'),
    );
    if (isolation.reason) progress.say(`isolation: ${isolation.kind} (${isolation.reason})`);
    const results: Result[] = [];
    for (const scenario of scenarios) {
      if (signals.interrupt.aborted) break;
      const result = await runScenario(scenario, isolation, progress, signals);
      results.push(result);
      progress.say(`result: ${await this.save(out, result)}`);
      if (!flags.json) await this.print(this.table(result));
    }
    if (flags.json) {
      const documents = scenarios.length === 1 ? results[0] : results;
      await this.print(`${JSON.stringify(documents, null, 1)}\n`);
    }
    if (signals.interrupt.aborted) process.exitCode = EXIT.interrupted;
    else if (results.some(hasFailed)) process.exitCode = EXIT.failed;
  }

  /** Saves a result, at the worst in the folder for temporary files. */
  private async save(out: string, result: Result): Promise<string> {
    try {
      return await saveResult(out, result);
    } catch (thrown) {
      if (!(thrown instanceof UnsavedError)) throw thrown;
      process.exitCode = EXIT.unusable;
      return `${thrown.message}; kept as ${await rescueResult(thrown)}`;
    }
  }

  private table(result: Result): string {
    const isTTY = process.stdout.isTTY === true;
    const view = terminalOf(process.stdout, { isTTY, env: process.env });
    return lookUp('format', 'table', REPORT_FORMATS).render(result, view);
  }
}

/** An agent that ended, or never answered one `/init`, makes no plain success. */
function hasFailed({ lanes }: Result): boolean {
  return lanes.some(({ trouble, init }) => trouble !== null || init.answered === 0);
}
