import { Flags } from '@oclif/core';
import { EXIT } from '../base/errors.js';
import { examine } from '../experiment/doctor/index.js';
import { toolVersion } from '../experiment/version.js';
import { renderDoctor } from '../report/doctor.js';
import { terminalOf } from '../report/terminal.js';
import { BaseCommand } from './base-command.js';

export default class Doctor extends BaseCommand {
  static override summary = 'What this machine can and cannot do, and how to mend it';
  static override description =
    `Looks at all that a run stands on, by the same means as run itself, one line a check. Nothing is changed and nothing is sent.

Exit codes: 0 run has all that it needs; 1 run works, but something limits its figures; 2 run cannot work here.`;
  static override examples = [
    '<%= config.bin %> doctor',
    '<%= config.bin %> doctor --out /var/tmp/results',
    '<%= config.bin %> doctor --json',
  ];
  static override flags = {
    out: Flags.string({ default: 'bench-results', summary: 'where results would go' }),
    json: Flags.boolean({ summary: 'print the findings as JSON' }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(Doctor);
    const checks = await examine({ out: flags.out });
    if (flags.json) {
      const document = { schema: 'envd-bench/doctor/v1', tool: { version: toolVersion() }, checks };
      await this.print(`${JSON.stringify(document, null, 1)}\n`);
    } else {
      const isTTY = process.stdout.isTTY === true;
      const view = terminalOf(process.stdout, { isTTY, env: process.env });
      await this.print(renderDoctor(checks, view));
    }
    if (checks.some(({ state }) => state === 'missing')) process.exitCode = EXIT.unusable;
    else if (checks.some(({ state }) => state === 'limited')) process.exitCode = EXIT.failed;
  }
}
