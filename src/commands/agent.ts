import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Flags } from '@oclif/core';
import { guards } from '../agents/guards/index.js';
import { pollModels } from '../agents/poll-models.js';
import { parseDuration } from '../base/duration.js';
import { UsageError } from '../base/errors.js';
import { assertMayReach } from '../base/interlock.js';
import { lookUp } from '../base/nearest.js';
import { quoted } from '../base/text.js';
import { BaseCommand } from './base-command.js';
import { requireFree } from './port.js';

const PROCESS = fileURLToPath(new URL('../agents/process.js', import.meta.url));

export default class AgentCommand extends BaseCommand {
  static override summary = 'Runs one reference agent alone on a loopback port';
  static override description =
    `Speaks envd's HTTP API (POST /init, GET /health, GET /envs) and polls MMDS by its guard. It prints its counters ten times a second, one JSON line each.

Agents: ${[...guards.values()].map(({ name, summary }) => `${name} (${summary})`).join('; ')}.

Exit codes: 0 ended by Ctrl-C or SIGTERM; 2 bad input, or a port that is taken.`;
  static override examples = [
    '<%= config.bin %> agent --mmds 127.0.0.1:8169',
    '<%= config.bin %> agent --agent guarded --poller envd --port 49983 --mmds 127.0.0.1:8169',
  ];
  static override flags = {
    agent: Flags.string({ default: 'unguarded', summary: 'the built-in agent' }),
    poller: Flags.string({ default: 'envd', summary: [...pollModels.keys()].join(' or ') }),
    port: Flags.integer({ default: 49_983, min: 1, max: 65_535, summary: 'port on 127.0.0.1' }),
    mmds: Flags.string({ required: true, helpValue: 'HOST:PORT', summary: 'where MMDS is' }),
    lifetime: Flags.string({ default: '60s', summary: 'how long a poller lives' }),
    tick: Flags.string({ default: '50ms', summary: "period of a poller's ticker" }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(AgentCommand);
    const [host, port] = parseAddress(flags.mmds);
    lookUp('poller', flags.poller, pollModels);
    await requireFree(flags.port);
    const child = spawn(
      process.execPath,
      [
        PROCESS,
        `--guard=${lookUp('agent', flags.agent, guards).name}`,
        `--poller=${flags.poller}`,
        `--port=${flags.port}`,
        `--mmds-host=${host}`,
        `--mmds-port=${port}`,
        `--lifetime-ms=${parseDuration(flags.lifetime, '--lifetime')}`,
        `--tick-ms=${parseDuration(flags.tick, '--tick')}`,
        '--end-with-stdin',
      ],
      { stdio: ['pipe', 'inherit', 'inherit'] },
    );
    // Its standard input ends with us, and with it the agent, however we end.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => child.stdin.end());
    }
    process.exitCode = await new Promise<number>((resolve) => {
      child.once('error', () => resolve(2));
      child.once('exit', (code) => resolve(code ?? 2));
    });
  }
}

/** @throws UsageError when it is no address, or one that must not be reached from here */
function parseAddress(text: string): [string, number] {
  const match = /^([\d.]+):(\d{1,5})$/.exec(text);
  const port = Number(match?.[2]);
  if (!match?.[1] || port < 1 || port > 65_535) {
    throw new UsageError(
      `--mmds ${quoted(text)} is not an IPv4 address and a port`,
      'Give it as --mmds 127.0.0.1:8169',
    );
  }
  try {
    assertMayReach(match[1]);
  } catch (thrown) {
    throw new UsageError((thrown as Error).message, 'Point it at envd-bench mmds on 127.0.0.1');
  }
  return [match[1], port];
}
