import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { whileAlive } from '../../bench/while-alive.js';
import { WorkingCopy } from './copy.js';
import { PROTECTIONS } from './list/index.js';
import type { Protection } from './protection.js';

/**
 * Takes every protection out of a copy of the sources, one at a time, and sees whether its test fails:
 *
 *   npm run protections [-- PART...]
 *
 * with PART a part of the name, source or test of those that are wanted. A test that does not pass
 * while all protections are there shows nothing. Exit code 1 when a protection can be taken out and
 * nobody sees it.
 */
const { positionals } = parseArgs({ allowPositionals: true });
const user = process.getuid?.() === 0 ? 'root' : 'ordinary user';
const wanted = PROTECTIONS.filter(
  ({ name, file, test }) =>
    positionals.length === 0 ||
    positionals.some((part) => [name, file, test].some((text) => text.includes(part))),
);
const folder = mkdtempSync(join(tmpdir(), 'envd-bench-protections-'));
const counts = { seen: 0, unseen: 0, 'cannot be shown here': 0 };
let copy: WorkingCopy | undefined;

await whileAlive(
  () => {
    copy?.endAll();
    rmSync(folder, { recursive: true, force: true });
  },
  async () => {
    copy = new WorkingCopy(folder);
    const fit = new Map<string, string | undefined>();
    for (const protection of wanted) {
      const verdict = await judge(copy, protection, fit);
      process.stdout.write(`${verdict.padEnd(20)}  ${protection.name}  (${protection.test})\n`);
    }
  },
);
const all = Object.entries(counts).map(([verdict, count]) => `${count} ${verdict}`);
process.stdout.write(`${wanted.length} protections taken out, as ${user}: ${all.join(', ')}\n`);
if (counts.unseen > 0 || wanted.length === 0) process.exitCode = 1;

async function judge(
  at: WorkingCopy,
  protection: Protection,
  fit: Map<string, string | undefined>,
): Promise<keyof typeof counts> {
  const verdict = await tryOne(at, protection, fit);
  counts[verdict]++;
  return verdict;
}

async function tryOne(
  at: WorkingCopy,
  { file, from, to, test, only, as }: Protection,
  fit: Map<string, string | undefined>,
): Promise<keyof typeof counts> {
  if (as !== undefined && as !== user) return 'cannot be shown here';
  const key = `${test} ${only ?? ''}`;
  if (!fit.has(key)) {
    at.build();
    fit.set(key, await whyUnfit(at, test, only));
  }
  const unfit = fit.get(key);
  if (unfit !== undefined) {
    process.stdout.write(`${unfit}\n`);
    return 'cannot be shown here';
  }
  const path = join(at.root, file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    source.replace(from, () => to),
  );
  try {
    at.build();
    return (await at.test(test, only)).failed > 0 ? 'seen' : 'unseen';
  } finally {
    writeFileSync(path, source);
    at.endAll();
  }
}

/** Why a test shows nothing: it fails anyway, or was skipped. */
async function whyUnfit(at: WorkingCopy, test: string, only?: string): Promise<string | undefined> {
  const { passed, failed, output } = await at.test(test, only);
  at.endAll();
  if (failed > 0) return `${test} fails with all protections in place:\n${output.slice(-4_000)}`;
  return passed === 0 ? `no test of ${test} could run${only ? ` (${only})` : ''}` : undefined;
}
