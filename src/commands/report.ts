import { Args, Flags } from '@oclif/core';
import { lookUp } from '../base/nearest.js';
import { REPORT_FORMATS } from '../report/index.js';
import { terminalOf } from '../report/terminal.js';
import { loadResult, newestResult } from '../results/store.js';
import { BaseCommand } from './base-command.js';

export default class Report extends BaseCommand {
  static override summary = 'A saved result as a table or as JSON';
  static override description = 'Exit codes: 0 done; 2 no such file, or no valid result.';
  static override examples = [
    '<%= config.bin %> report',
    '<%= config.bin %> report bench-results/reference-refused-100ms.json',
    '<%= config.bin %> report --json | jq .lanes[0].pollers',
  ];
  static override args = {
    file: Args.string({ description: 'the result [default: the newest in --out]' }),
  };
  static override flags = {
    format: Flags.string({
      default: 'table',
      summary: [...REPORT_FORMATS].map(([name, { summary }]) => `${name}: ${summary}`).join('; '),
    }),
    json: Flags.boolean({ summary: 'the same as --format json' }),
    out: Flags.string({
      default: 'bench-results',
      summary: 'where the newest result is looked for',
    }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(Report);
    const format = lookUp('format', flags.json ? 'json' : flags.format, REPORT_FORMATS);
    const result = await loadResult(args.file ?? (await newestResult(flags.out)));
    const isTTY = process.stdout.isTTY === true;
    await this.print(
      format.render(result, terminalOf(process.stdout, { isTTY, env: process.env })),
    );
  }
}
