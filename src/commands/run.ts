import { Flags } from '@oclif/core';
import { guards } from '../agents/guards/index.js';
import { EXIT } from '../base/errors.js';
import { lookUp } from '../base/nearest.js';
import { preflight } from '../experiment/preflight.js';
import { runScenario } from '../experiment/run.js';
import { parseScenarios } from '../experiment/scenario.js';
import { faults } from '../mmds/faults/index.js';
import { retryPolicies } from '../orchestrator/retry/index.js';
import { REPORT_FORMATS } from '../report/index.js';
import { terminalOf } from '../report/terminal.js';
import { tidyJournals } from '../results/journal/leftovers.js';
import { JournalWriter } from '../results/journal/writer.js';
import { hasMeasured } from '../results/lane-so-far.js';
import type { Result } from '../results/schema.js';
import { keepElsewhere, prepareOut, saveResult, UnsavedError } from '../results/store.js';
import { parseThresholds, requireFields, withChecks } from '../results/thresholds.js';
import { BaseCommand } from './base-command.js';
import { fromScenarioFile, scenarioFile, scenarioFlags, scenarioText } from './scenario-flags.js';
import { openSession } from './session.js';

export default class Run extends BaseCommand {
  static override summary = 'The storm, side by side: drives /init while MMDS is unavailable';
  static override description =
    `Every agent gets a lane: a network of its own, an MMDS of its own, a driver and a sampler. The figures are the kernel's.

Agents: ${[...guards.values()].map(({ name, summary }) => `${name} (${summary})`).join('; ')}.

Faults: ${[...faults.values()].map(({ name, summary }) => `${name} (${summary})`).join('; ')}.

Retry policies: ${[...retryPolicies.values()].map(({ name, summary }) => `${name} (${summary})`).join('; ')}.

Exit codes: 0 done; 1 a threshold failed, or an agent failed or never answered /init; 2 bad input or an environment that cannot do it; 130 interrupted, with the partial result saved.

What is measured is saved as it comes: report reads it after a kill -9, a full disk or a power cut.`;
  static override examples = [
    '<%= config.bin %> run --interval 100ms',
    '<%= config.bin %> run --interval 100ms --outage 10s --json',
    '<%= config.bin %> run --fault http-error --poller envd --guest-memory 512MiB',
    "<%= config.bin %> run --fault 'refused@0s,hijack@20s,none@50s'",
    '<%= config.bin %> run --interval 50ms,100ms,1s --repeat 3 --sequential',
    '<%= config.bin %> run --poller envd --agent "base=./envd-old -isnotfc -no-cgroups" --agent "head=./envd-new -isnotfc -no-cgroups"',
  ];
  static override flags = {
    scenario: scenarioFile,
    ...scenarioFlags,
    threshold: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      helpValue: "'guarded.pollers.peak<=1'",
      summary:
        'what must hold of the result, or the exit code is 1: LANE.FIELD, one of <= < >= > == !=, and a value; repeat it for more',
    }),
    out: Flags.string({ default: 'bench-results', summary: 'where results go; one file a run' }),
    json: Flags.boolean({ summary: 'print the result as JSON; an array for a sweep or repeats' }),
  };

  override async run(): Promise<void> {
    const { flags: typed, metadata } = await this.parse(Run);
    const flags = fromScenarioFile(typed, metadata.flags);
    const scenarios = parseScenarios(scenarioText(flags));
    const thresholds = parseThresholds(flags.threshold ?? []);
    requireFields(thresholds, scenarios[0]?.agents.map(({ name }) => name) ?? []);
    const out = await prepareOut(flags.out);
    const cutOff = await tidyJournals(out);
    const session = await openSession(flags.isolation);
    const { isolation, progress, signals } = session;
    if (cutOff) progress.say(cutOff);
    for (const scenario of scenarios) preflight(scenario, isolation);
    const results: Result[] = [];
    for (const scenario of scenarios) {
      if (signals.interrupt.aborted) break;
      const journal = new JournalWriter(out, (line) => progress.say(line));
      const keeper = {
        begin: (empty: Result) => journal.begin(withChecks(empty, thresholds)),
        sample: journal.sample.bind(journal),
        laneEnd: journal.laneEnd.bind(journal),
      };
      const measured = await runScenario(scenario, isolation, progress, signals, keeper);
      const result = withChecks(measured, thresholds);
      if (signals.interrupt.aborted && !result.lanes.some(hasMeasured)) {
        const what = scenarios.length > 1 ? 'of this repeat nothing' : 'nothing';
        progress.say(`interrupted before anything was measured: ${what} is saved`);
        await journal.remove();
        break;
      }
      results.push(result);
      progress.say(`result: ${await this.save(out, result, journal, flags.json)}`);
      if (!flags.json) await this.print(this.table(result));
    }
    // Without a single result there is no document: not even an empty one.
    if (flags.json && results.length > 0) {
      const documents = scenarios.length === 1 ? results[0] : results;
      await this.print(`${JSON.stringify(documents, null, 1)}\n`);
    }
    if (process.exitCode === EXIT.unusable) return;
    if (signals.interrupt.aborted) process.exitCode = EXIT.interrupted;
    else if (results.some(hasFailed)) process.exitCode = EXIT.failed;
  }

  /**
   * Saves a result, at the worst in the folder for temporary files or on stdout. The journal goes
   * when the result has a file.
   * @returns where it is
   */
  private async save(
    out: string,
    result: Result,
    journal: JournalWriter,
    isPrinted: boolean,
  ): Promise<string> {
    try {
      await journal.flush();
      const path = await saveResult(out, result);
      await journal.remove();
      return path;
    } catch (thrown) {
      if (!(thrown instanceof UnsavedError)) throw thrown;
      process.exitCode = EXIT.unusable;
      let wasPrinted = false;
      const place = await keepElsewhere(thrown, async (json) => {
        wasPrinted = true;
        return isPrinted || this.print(json);
      });
      // On stdout it may be lost yet: then what was saved as it went stays.
      await (wasPrinted ? journal.close() : journal.remove());
      return place;
    }
  }

  private table(result: Result): string {
    const isTTY = process.stdout.isTTY === true;
    const view = terminalOf(process.stdout, { isTTY, env: process.env });
    return lookUp('format', 'table', REPORT_FORMATS).render(result, view);
  }
}

/** A failed check, an agent that ended, or one that never answered `/init`: no plain success. */
function hasFailed({ lanes, checks }: Result): boolean {
  return (
    checks.some(({ verdict }) => verdict === 'fail') ||
    lanes.some(({ trouble, init }) => trouble !== null || init.answered === 0)
  );
}
