import { join } from 'node:path';
import { Flags } from '@oclif/core';
import { monotonicMs } from '../base/clock.js';
import { formatDuration } from '../base/duration.js';
import { EXIT, UsageError } from '../base/errors.js';
import { lookUp } from '../base/nearest.js';
import { quoted } from '../base/text.js';
import { thisMachine } from '../experiment/machine.js';
import { cellsLeft, cellsOf, runCell } from '../experiment/matrix.js';
import { parseScenarios } from '../experiment/scenario.js';
import { type ScenarioText, scenarioTextSchema } from '../experiment/scenario-text.js';
import { toolVersion } from '../experiment/version.js';
import { faults } from '../mmds/faults/index.js';
import { retryPolicies } from '../orchestrator/retry/index.js';
import { renderMatrix, renderMatrixMarkdown } from '../report/matrix.js';
import { terminalOf } from '../report/terminal.js';
import { MATRIX_SCHEMA, type Matrix, matrixSchema } from '../results/matrix.js';
import { GrowingDocument, loadDocument, newId, prepareOut } from '../results/store.js';
import { BaseCommand } from './base-command.js';
import { scenarioFlags, scenarioText } from './scenario-flags.js';
import { openSession } from './session.js';

const FORMATS = new Map([
  ['table', renderMatrix],
  ['markdown', renderMatrixMarkdown],
]);

export default class MatrixCommand extends BaseCommand {
  static override summary = 'Every fault × retry policy × poller model, with the claims’ verdicts';
  static override description =
    `Runs one cell after the other. The document is saved after every cell; after an interrupt, --resume goes on with the cells that are missing.

Exit codes: 0 every cell is filled or has its reason; 1 an agent failed in a cell; 2 bad input or an environment that cannot do it; 130 interrupted, with the cells so far saved.`;
  static override examples = [
    '<%= config.bin %> matrix --outage 5s',
    '<%= config.bin %> matrix --fault refused,http-error --retry fixed --outage 60s',
    '<%= config.bin %> matrix --resume bench-results/matrix/ID.json',
  ];
  static override flags = {
    ...scenarioFlags,
    fault: Flags.string({
      default: [...faults.keys()].join(','),
      summary: 'faults, as a comma list',
    }),
    retry: Flags.string({
      default: [...retryPolicies.keys()].join(','),
      summary: 'retry policies, as a comma list',
    }),
    poller: Flags.string({ default: 'issue,envd', summary: 'poller models, as a comma list' }),
    out: Flags.string({ default: 'bench-results', summary: 'where the document goes' }),
    resume: Flags.string({
      helpValue: 'FILE',
      summary: 'go on with a matrix that was interrupted',
    }),
    format: Flags.string({ default: 'table', summary: [...FORMATS.keys()].join(' or ') }),
    json: Flags.boolean({ summary: 'print the document as JSON' }),
  };

  override async run(): Promise<void> {
    const { flags, metadata } = await this.parse(MatrixCommand);
    const render = lookUp('format', flags.format, FORMATS);
    // In a folder of their own: they are no results that report and compare could read.
    const out = await prepareOut(join(flags.out, 'matrix'));
    const resumed = flags.resume
      ? await loadDocument(flags.resume, MATRIX_SCHEMA, matrixSchema)
      : undefined;
    const asked = {
      faults: list(flags.fault),
      retries: list(flags.retry),
      pollers: list(flags.poller),
      scenario: scenarioText(flags),
    };
    if (resumed) refuseOtherFlags(resumed, asked, flags.isolation, metadata.flags);
    const options = resumed?.options ?? asked;
    const text = scenarioTextOf(options.scenario);
    const choices = cellsOf(options.faults, options.retries, options.pollers);
    for (const choice of choices) parseScenarios({ ...text, ...choice, repeat: '1' });
    const { isolation, progress, signals } = await openSession(
      resumed?.isolation ?? flags.isolation,
    );
    const matrix: Matrix = resumed ?? {
      schema: MATRIX_SCHEMA,
      id: newId(new Date()),
      startedAt: new Date().toISOString(),
      complete: false,
      tool: { version: toolVersion() },
      machine: thisMachine(),
      options,
      isolation: isolation.kind,
      cells: [],
    };
    const path = flags.resume ?? join(out, `${matrix.id}.json`);
    const saved = new GrowingDocument(path, matrix.id, (line) => progress.say(line));
    const left = cellsLeft(choices, matrix);
    const before = monotonicMs();
    for (const [i, choice] of left.entries()) {
      const perCell = i === 0 ? undefined : (monotonicMs() - before) / i;
      const time = perCell
        ? `, about ${formatDuration(wholeSeconds(perCell * (left.length - i)))} left`
        : '';
      const done = choices.length - left.length + i + 1;
      progress.say(
        `cell ${done} of ${choices.length}: ${choice.fault}, ${choice.retry}, ${choice.poller}${time}`,
      );
      const cell = await runCell(choice, text, isolation, progress, signals);
      if (!cell) break;
      matrix.cells.push(cell);
      matrix.complete = matrix.cells.length === choices.length;
      await saved.put(matrix);
    }
    const { place, isSaved } = await saved.settle((json) => {
      return flags.json ? Promise.resolve(true) : this.print(json);
    });
    if (matrix.cells.length > 0) progress.say(`matrix: ${place}`);
    await this.print(
      flags.json
        ? `${JSON.stringify(matrix, null, 1)}\n`
        : render(
            matrix,
            terminalOf(process.stdout, { isTTY: process.stdout.isTTY === true, env: process.env }),
          ),
    );
    if (matrix.cells.some(({ lanes }) => lanes.some(({ trouble }) => trouble !== null))) {
      process.exitCode = EXIT.failed;
    }
    if (!matrix.complete) {
      if (isSaved && matrix.cells.length > 0) {
        progress.say(`to go on: envd-bench matrix --resume ${path}`);
      } else if (isSaved) {
        progress.say('interrupted before a cell was filled: nothing is saved');
      }
      process.exitCode = EXIT.interrupted;
    }
    if (!isSaved) process.exitCode = EXIT.unusable;
  }
}

/** The flags that say how a matrix is saved and shown, not what is in it. */
const NOT_ASKED = new Set(['resume', 'out', 'format', 'json']);
/** Where a matrix keeps what these flags say; of the others the flag's own name in camel case. */
const KEPT_AS = new Map([
  ['fault', 'faults'],
  ['retry', 'retries'],
  ['poller', 'pollers'],
]);

/**
 * Cells of another scenario would stand beside the saved ones as if they were alike.
 * @param typed oclif's record of which flags were typed
 * @throws UsageError for the first flag that says something else than the saved matrix
 */
export function refuseOtherFlags(
  { options, isolation }: Pick<Matrix, 'options' | 'isolation'>,
  asked: Matrix['options'],
  isolationAsked: string,
  typed: Readonly<Record<string, { setFromDefault?: boolean } | undefined>>,
): void {
  const saved: Record<string, unknown> = { ...options.scenario, ...options, isolation };
  const now: Record<string, unknown> = {
    ...asked.scenario,
    ...asked,
    isolation: isolationAsked,
  };
  for (const [name, origin] of Object.entries(typed)) {
    if (origin?.setFromDefault || NOT_ASKED.has(name)) continue;
    const key = KEPT_AS.get(name) ?? name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
    if (name === 'isolation' && now[key] === 'auto') continue;
    if (JSON.stringify(now[key]) === JSON.stringify(saved[key])) continue;
    throw new UsageError(
      `--${name} ${quoted(String(now[key]))} is not what the matrix has: ${quoted(String(saved[key]))}`,
      `Leave --${name} out to go on with it, or begin another without --resume`,
    );
  }
}

function list(text: string): string[] {
  return text.split(',').map((one) => one.trim());
}

/** @throws UsageError when a file that was changed by hand holds something else */
function scenarioTextOf(scenario: Record<string, unknown>): ScenarioText {
  const checked = scenarioTextSchema.safeParse(scenario);
  if (checked.success) return checked.data;
  throw new UsageError(
    `the matrix has no usable scenario: ${checked.error.issues[0]?.path.join('.')}`,
    'It was changed after envd-bench wrote it: make it again',
  );
}

function wholeSeconds(ms: number): number {
  return Math.max(1, Math.round(ms / 1e3)) * 1e3;
}
