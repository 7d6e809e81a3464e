import { join } from 'node:path';
import { Flags } from '@oclif/core';
import { parseAgent } from '../agents/agent-choice.js';
import { guards } from '../agents/guards/index.js';
import { EXIT, UsageError } from '../base/errors.js';
import { quoted } from '../base/text.js';
import { toolVersion } from '../experiment/version.js';
import { terminalOf } from '../report/terminal.js';
import { renderVerification } from '../report/verify.js';
import { GrowingDocument, newId, prepareOut } from '../results/store.js';
import { chooseScenarios } from '../verify/choose.js';
import { scenarios } from '../verify/scenarios/index.js';
import { verify } from '../verify/verify.js';
import { BaseCommand } from './base-command.js';
import { openSession } from './session.js';

const MOST_REPEATS = 1_000;

export default class Verify extends BaseCommand {
  static override summary =
    'Does a guard keep its promises? Pass or fail for each, with the evidence';
  static override description =
    `Plays scenarios on a live agent, each with an MMDS and a network of its own. All is judged from outside: by what the agent answers and by what MMDS saw. A scenario that cannot be observed is skipped with the reason, never passed. Built-in agents run on a shorter time scale; a program takes real time, some minutes. The document is saved after every verdict, in a folder of its own.

Scenarios: ${[...scenarios.values()].map(({ name, summary }) => `${name} (${summary})`).join('; ')}.

Agents: ${[...guards.values()].map(({ name, summary }) => `${name} (${summary})`).join('; ')}.

Exit codes: 0 nothing failed; 1 a scenario failed; 2 bad input or an environment that cannot do it; 130 interrupted, with the verdicts so far.`;
  static override examples = [
    '<%= config.bin %> verify --agent guarded',
    '<%= config.bin %> verify --agent guarded-rearm --base unguarded --json',
    '<%= config.bin %> verify --agent guarded --only late-ready,stale-identity --repeat 20',
    '<%= config.bin %> verify --agent "head=./envd-new -isnotfc -no-cgroups" --base "base=./envd-old -isnotfc -no-cgroups"',
  ];
  static override flags = {
    agent: Flags.string({
      required: true,
      summary: 'the agent under test: a built-in name, or NAME=COMMAND for a program of yours',
    }),
    base: Flags.string({
      summary: 'the agent before the change, whose X-Envd-Version must be another one',
    }),
    only: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'late-ready',
      summary: 'these scenarios alone; a comma list or repeats',
    }),
    skip: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'control-plane',
      summary: 'not these scenarios; a comma list or repeats',
    }),
    repeat: Flags.string({
      default: '1',
      summary: 'how often each is played; one failure is a failure',
    }),
    isolation: Flags.string({
      default: 'auto',
      options: ['auto', 'netns', 'loopback'],
      summary: 'how agents are kept apart',
    }),
    out: Flags.string({
      default: 'bench-results',
      summary: 'where the verdicts and time lines go, in its folder verify/',
    }),
    json: Flags.boolean({ summary: 'print the verdicts and all time lines as JSON' }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(Verify);
    const agent = parseAgent(flags.agent, '--agent', null);
    const base = flags.base === undefined ? null : parseAgent(flags.base, '--base', null);
    const chosen = chooseScenarios(flags.only ?? [], flags.skip ?? []);
    const repeats = parseRepeats(flags.repeat);
    const { isolation, progress, signals } = await openSession(flags.isolation);
    const program = [agent, base].find((one) => one?.kind === 'external');
    if (program && isolation.kind === 'loopback') {
      throw new UsageError(
        `agent ${program.name} is a program, and on loopback it would reach this machine's own network`,
        'Use --isolation netns, or the built-in agents',
      );
    }
    // In a folder of their own: they are no results that report and compare could read.
    const out = await prepareOut(join(flags.out, 'verify'));
    const id = newId(new Date());
    const saved = new GrowingDocument(join(out, `${id}.json`), id, (line) => progress.say(line));
    // One after the other: verdicts come side by side.
    let saving = Promise.resolve();
    const verification = await verify(
      {
        agent,
        base,
        isolation: isolation.kind,
        scenarios: chosen,
        repeats,
        toolVersion: toolVersion(),
      },
      (line, soFar) => {
        progress.say(line);
        saving = saving.then(() => saved.put(soFar));
      },
      signals,
    );
    await saving;
    let isSaved = true;
    if (verification.scenarios.length > 0) {
      await saved.put(verification);
      const settled = await saved.settle((json) => {
        return flags.json ? Promise.resolve(true) : this.print(json);
      });
      isSaved = settled.isSaved;
      progress.say(`verification: ${settled.place}`);
    }
    if (flags.json) await this.print(`${JSON.stringify(verification, null, 1)}\n`);
    else await this.print(renderVerification(verification, this.view()));
    if (!isSaved) process.exitCode = EXIT.unusable;
    else if (!verification.complete) process.exitCode = EXIT.interrupted;
    else if (verification.scenarios.some(({ verdict }) => verdict === 'fail')) {
      process.exitCode = EXIT.failed;
    }
  }

  private view() {
    const isTTY = process.stdout.isTTY === true;
    return terminalOf(process.stdout, { isTTY, env: process.env });
  }
}

function parseRepeats(text: string): number {
  const value = Number(text);
  if (/^\d{1,9}$/.test(text.trim()) && value >= 1 && value <= MOST_REPEATS) return value;
  throw new UsageError(`--repeat ${quoted(text)} is not a number from 1 to ${MOST_REPEATS}`);
}
