import { Args, Flags } from '@oclif/core';
import { EXIT } from '../base/errors.js';
import { lookUp } from '../base/nearest.js';
import { chooseRun } from '../experiment/newest.js';
import { loadRun } from '../experiment/recover.js';
import { REPORT_FORMATS } from '../report/index.js';
import { writeReport } from '../report/output.js';
import { terminalOf } from '../report/terminal.js';
import { quotedPath } from '../results/files.js';
import type { Result } from '../results/schema.js';
import { savedRuns } from '../results/store.js';
import { parseThresholds, withChecks } from '../results/thresholds.js';
import { BaseCommand } from './base-command.js';

export default class Report extends BaseCommand {
  static override summary = 'Saved results as a table, a comment, a page with charts, CSV or JSON';
  static override description =
    `Without a file it is the newest run in --out that has ended, also a partial one; it then says so first, and names the newest complete result. A *.partial.jsonl is what a run that was cut off left, or one that still goes on: a partial result, with – for what is not known.

Exit codes: 0 done; 1 a threshold that was asked for failed; 2 no such file, or no valid result.`;
  static override examples = [
    '<%= config.bin %> report',
    '<%= config.bin %> report bench-results/reference-refused-100ms.json',
    '<%= config.bin %> report --json | jq .lanes[0].pollers',
    '<%= config.bin %> report --format html --output report.html',
    '<%= config.bin %> report bench-results/*.json --format csv > samples.csv',
  ];
  static override args = {
    file: Args.string({
      multiple: true,
      description: 'the results [default: the newest in --out]',
    }),
  };
  static override flags = {
    format: Flags.string({
      default: 'table',
      summary: [...REPORT_FORMATS].map(([name, { summary }]) => `${name}: ${summary}`).join('; '),
    }),
    json: Flags.boolean({ summary: 'the same as --format json' }),
    threshold: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      helpValue: "'guarded.pollers.peak<=1'",
      summary: 'what must hold of every result, or the exit code is 1; repeat it for more',
    }),
    output: Flags.string({
      helpValue: 'FILE',
      summary: 'the file that the report goes to [default: stdout]',
    }),
    out: Flags.string({
      default: 'bench-results',
      summary: 'where the newest result is looked for',
    }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(Report);
    const format = lookUp('format', flags.json ? 'json' : flags.format, REPORT_FORMATS);
    const chosen = args.file ? undefined : await chooseRun(await savedRuns(flags.out));
    const files = args.file ?? [chosen?.file ?? ''];
    const thresholds = parseThresholds(flags.threshold ?? []);
    const results: Result[] = [];
    const said = [...(chosen?.remarks ?? [])];
    for (const file of files) {
      const { result, state } = await loadRun(file);
      if (state === 'still going') said.push(`the run of ${quotedPath(file)} is still going`);
      else if (state === 'cut off') said.push(`the run of ${quotedPath(file)} was cut off`);
      results.push(withChecks(result, thresholds));
    }
    // On stderr, and before the report: CSV has no place for it.
    for (const line of said) process.stderr.write(`envd-bench: ${line}\n`);

    if (flags.output === undefined) {
      const isTTY = process.stdout.isTTY === true;
      const view = terminalOf(process.stdout, { isTTY, env: process.env });
      await this.print(format.renderAll(results, view));
    } else {
      const view = terminalOf({}, { isTTY: false, env: process.env });
      await writeReport(flags.output, format.renderAll(results, view), files);
    }
    const asked = new Set(thresholds.map(({ expression }) => expression));
    const hasFailed = results.some(({ checks }) =>
      checks.some(({ expression, verdict }) => asked.has(expression) && verdict === 'fail'),
    );
    if (hasFailed) process.exitCode = EXIT.failed;
  }
}
