import { Flags } from '@oclif/core';
import { EXIT, messageOf, UsageError } from '../base/errors.js';
import { onLines } from '../base/lines.js';
import { lookUp } from '../base/nearest.js';
import { readSmallFile } from '../base/small-file.js';
import { cleanText, quoted } from '../base/text.js';
import { parseFault } from '../mmds/fault-spec.js';
import { faults } from '../mmds/faults/index.js';
import { type Mmds, startMmds } from '../mmds/mmds.js';
import { BaseCommand } from './base-command.js';
import { portRefused } from './port.js';

/** A command with a path in it is shorter than this, characters. */
const LONGEST_COMMAND = 8_192;

/** What MMDS serves where no file is given: the fields that envd reads. */
const METADATA = {
  instanceID: 'sandbox-id',
  envID: 'template-id',
  address: '',
  accessTokenHash: '',
};

const VERSIONS = new Map([
  ['V2', 'V2' as const],
  ['V1', 'V1' as const],
]);

export default class MmdsCommand extends BaseCommand {
  static override summary = 'Runs MMDS alone on a loopback port, with its faults';
  static override description =
    `Serves metadata as Firecracker does, and fails as you say. While it runs, it takes one command a line on standard input:

  fault NAME[:PARAMETERS]   lets another fault hold from now on
  metadata FILE             serves the JSON of another file
  counters                  prints what it has counted, as JSON

Faults: ${[...faults.values()]
      .map(({ name, summary, cause }) => `${name} (${summary}; stands for: ${cause})`)
      .join('; ')}.

Exit codes: 0 ended by Ctrl-C or SIGTERM; 2 bad input, or a port that is taken.`;
  static override examples = [
    '<%= config.bin %> mmds --port 8169',
    '<%= config.bin %> mmds --port 8169 --metadata identity.json --fault slow:2s',
    "(sleep 5; echo 'fault none') | <%= config.bin %> mmds --port 8169 --fault refused",
  ];
  static override flags = {
    port: Flags.integer({ default: 0, min: 0, max: 65_535, summary: 'port on 127.0.0.1; 0: any' }),
    metadata: Flags.string({ helpValue: 'FILE', summary: 'what it serves, as JSON; null: empty' }),
    'mmds-version': Flags.string({ default: 'V2', summary: 'V2 (with tokens) or V1' }),
    fault: Flags.string({ default: 'none', summary: 'the fault at the start' }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(MmdsCommand);
    const mmds = await this.start({
      port: flags.port,
      metadata: flags.metadata === undefined ? METADATA : readMetadata(flags.metadata),
      version: lookUp('MMDS version', flags['mmds-version'], VERSIONS),
      fault: parseFault(flags.fault, '--fault'),
    });
    await this.print(`MMDS on http://${mmds.address}:${mmds.port}\n`);
    const ended = new Promise<void>((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, resolve);
    });
    // The end of standard input ends nothing: a service has none.
    onLines(process.stdin, LONGEST_COMMAND, async (line) => {
      try {
        const answer = await obey(mmds, line.trim());
        if (answer) await this.print(`${answer}\n`);
      } catch (thrown) {
        process.stderr.write(`envd-bench: ${messageOf(thrown)}\n`);
      }
    });
    // A fault may leave nothing open that would keep the process.
    const stay = setInterval(() => {}, 1 << 30);
    await ended;
    clearInterval(stay);
    await mmds.stop();
    process.exit(EXIT.ok);
  }

  private async start(
    config: Pick<Parameters<typeof startMmds>[0], 'port' | 'metadata' | 'version' | 'fault'>,
  ): Promise<Mmds> {
    try {
      return await startMmds({
        ...config,
        address: '127.0.0.1',
        network: { kind: 'loopback' },
        close: 'auto',
      });
    } catch (thrown) {
      throw portRefused(thrown, config.port, 'Give another --port, or leave it out for any');
    }
  }
}

async function obey(mmds: Mmds, line: string): Promise<string | undefined> {
  if (line.length >= LONGEST_COMMAND) {
    throw new UsageError(`a command of more than ${LONGEST_COMMAND} characters is none`);
  }
  const [, command, rest = ''] = /^(\S+)\s*(.*)$/.exec(line) ?? [];
  if (command === undefined) return undefined;
  if (command === 'fault') {
    await mmds.setFault(parseFault(rest, 'fault'));
    return `fault ${rest}`;
  }
  if (command === 'metadata') {
    mmds.setMetadata(readMetadata(rest));
    return `metadata ${rest}`;
  }
  if (command === 'counters') return JSON.stringify(mmds.counters);
  throw new UsageError(
    `unknown command ${quoted(command)}`,
    'Known: fault NAME, metadata FILE, counters',
  );
}

function readMetadata(file: string): unknown {
  try {
    return JSON.parse(readSmallFile(file));
  } catch (thrown) {
    throw new UsageError(
      `cannot read the metadata of ${quoted(file)}: ${cleanText(messageOf(thrown))}`,
      'Give a file that holds JSON',
    );
  }
}
