import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { whileAlive } from '../../bench/while-alive.js';
import { type Tested, WorkingCopy } from './copy.js';
import { PROTECTIONS } from './list/index.js';
import type { Protection } from './protection.js';

/**
 * Takes every protection out of a copy of the sources, one at a time, and sees whether its test fails:
 *
 *   npm run protections [-- PART...]
 *
 * with PART a part of the name, source or test of those that are wanted. Beside what was seen stands the
 * failure that it was seen by. A test that does not pass while all protections are in place shows nothing.
 * Exit code 1 when a protection can be taken out and nobody sees it, and when a test fails anyway.
 */
const { positionals } = parseArgs({ allowPositionals: true });
const user = process.getuid?.() === 0 ? 'root' : 'ordinary user';
const wanted = PROTECTIONS.filter(
  ({ name, file, test }) =>
    positionals.length === 0 ||
    positionals.some((part) => [name, file, test].some((text) => text.includes(part))),
);
const folder = mkdtempSync(join(tmpdir(), 'envd-bench-protections-'));
/** `skipped`: this machine or this user cannot run the test. */
const counts = { seen: 0, UNSEEN: 0, UNFIT: 0, skipped: 0 };
type Verdict = keyof typeof counts;
let copy: WorkingCopy | undefined;

await whileAlive(
  () => {
    copy?.endAll();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  },
  async () => {
    copy = new WorkingCopy(folder);
    const baselines = new Map<string, Tested>();
    for (const protection of wanted) {
      const [verdict, why] = await judge(copy, protection, baselines);
      counts[verdict]++;
      const { name, test } = protection;
      process.stdout.write(`${verdict.padEnd(8)} ${name} (${test}${why ? `: ${why}` : ''})\n`);
    }
  },
);
const all = Object.entries(counts).map(([verdict, count]) => `${count} ${verdict.toLowerCase()}`);
process.stdout.write(`${wanted.length} protections taken out, as ${user}: ${all.join(', ')}\n`);
if (counts.UNSEEN + counts.UNFIT > 0 || wanted.length === 0) process.exitCode = 1;

async function judge(
  at: WorkingCopy,
  { file, from, to, test, only, as }: Protection,
  baselines: Map<string, Tested>,
): Promise<[Verdict, string | undefined]> {
  if (as !== undefined && as !== user) return ['skipped', `only as ${as}`];
  const key = `${test} ${only ?? ''}`;
  const before = baselines.get(key) ?? (await baseline(at, test, only));
  baselines.set(key, before);
  if (before.failed > 0) {
    process.stderr.write(`${before.output}\n`);
    return ['UNFIT', `it fails in any case: ${before.why}`];
  }
  if (before.passed === 0) {
    return before.skipped > 0 ? ['skipped', 'not here'] : ['UNFIT', 'there is no such test'];
  }
  const path = join(at.root, file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    source.replace(from, () => to),
  );
  try {
    at.build();
    const { passed, failed, why } = await at.test(test, only);
    if (failed > 0) return ['seen', why];
    return ['UNSEEN', passed < before.passed ? 'without it the test cannot run at all' : undefined];
  } finally {
    writeFileSync(path, source);
    at.endAll();
  }
}

/** The same test with all protections in place. */
async function baseline(at: WorkingCopy, test: string, only?: string): Promise<Tested> {
  at.build();
  const tested = await at.test(test, only);
  at.endAll();
  return tested;
}
