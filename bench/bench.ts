import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, release, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { EXIT, messageOf, UsageError } from '../src/base/errors.js';
import { lookUp } from '../src/base/nearest.js';
import { whyNoNamespaces } from '../src/lane/network/namespaces.js';
import { intoDocument, section } from './markdown.js';
import type { Effort, Table } from './table.js';
import { tables } from './tables/index.js';

/**
 * As fast as the machine allows, and proof of it: each table is measured in one run against something
 * public, and written to docs/performance.md.
 *
 *   npm run bench
 *   npm run bench -- --only start,watching
 *   npm run bench -- --smoke
 */
const DOCUMENT = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));

const PREFACE = `# Performance

A load tool that is slower than what it measures lies. Each table below is measured in one run, against something
public or against the machine's own limit; what is compared takes turns (A B A B), and a figure is the median of the
repeats with (least..most) beside it. \`npm run bench\` makes and replaces the text between the marks; nobody edits it by hand.
`;

/** Three repeats keep all six tables within a quarter of an hour. */
const FULL: Effort = { repeats: 3, isSmoke: false };
const SMOKE: Effort = { repeats: 1, isSmoke: true };

async function main(): Promise<void> {
  const { only, smoke } = options();
  const chosen = only
    ? only.split(',').map((name) => lookUp('table', name, tables))
    : [...tables.values()];
  const reason = await whyNoNamespaces();
  if (reason) {
    throw new UsageError(
      `no network namespaces of one's own here: ${reason}`,
      'Allow user namespaces: sysctl kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns',
    );
  }
  const effort = smoke ? SMOKE : FULL;
  for (const table of chosen) {
    const body = `${await measured(table, effort)}\n`;
    process.stdout.write(`${body}\n`);
    if (!smoke) write(table.name, body);
  }
}

function options(): { only: string | undefined; smoke: boolean } {
  try {
    const { values } = parseArgs({
      options: { only: { type: 'string' }, smoke: { type: 'boolean', default: false } },
    });
    return { only: values.only, smoke: values.smoke };
  } catch (thrown) {
    throw new UsageError(
      messageOf(thrown).split('\n')[0] ?? '',
      'npm run bench -- [--only TABLE,...] [--smoke]',
    );
  }
}

async function measured(table: Table, effort: Effort): Promise<string> {
  const say = (what: string): void => void process.stderr.write(`${table.name}: ${what}\n`);
  const [load = 0] = loadavg();
  const figures = await table.measure(effort, say);
  return `${section(figures, table)}\n\n${conditions(effort, load)}`;
}

/**
 * Written with every table, as tables may be measured one at a time.
 * @param load the load average of the minute before: what else kept the machine busy
 */
function conditions({ repeats }: Effort, load: number): string {
  const memory = `${(totalmem() / 2 ** 30).toFixed(1)} GiB`;
  const repeated = repeats === 1 ? 'one repeat' : `${repeats} repeats`;
  return (
    `Measured ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC on ${availableParallelism()} CPUs, ` +
    `${memory}, kernel ${release()}, node ${process.version}; ${repeated}; load average ${load.toFixed(1)} before.`
  );
}

function write(name: string, body: string): void {
  const document = existsSync(DOCUMENT) ? readFileSync(DOCUMENT, 'utf8') : PREFACE;
  writeFileSync(DOCUMENT, intoDocument(document, new Map([[name, body]])));
}

main().catch((thrown) => {
  process.stderr.write(
    `${thrown instanceof UsageError ? thrown.message : (thrown as Error).stack}\n`,
  );
  process.exitCode = thrown instanceof UsageError ? EXIT.unusable : EXIT.failed;
});
