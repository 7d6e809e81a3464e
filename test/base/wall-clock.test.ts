import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

/** Where the wall clock is what is meant: dates for people, the timestamps of `/init`, and times of files. */
const DATES: Record<string, number> = {
  'commands/matrix.ts': 2,
  'commands/verify.ts': 1,
  'experiment/run.ts': 1,
  'orchestrator/driver.ts': 1,
  'results/journal/reader.ts': 1,
  'results/journal/writer.ts': 1,
  'verify/scenarios/bad-requests.ts': 2,
  'verify/verify.ts': 1,
};

test('no duration comes from the wall clock, which may be set in mid-run', () => {
  const found: Record<string, number> = {};
  for (const file of readdirSync('src', { recursive: true, encoding: 'utf8' })) {
    // The page of a report draws dates in a browser.
    if (!file.endsWith('.ts') || file.startsWith('report/html/')) continue;
    const text = readFileSync(join('src', file), 'utf8');
    const uses = text.match(/\bDate\.now\(\)|new Date\((?:Date\.now\(\)[^)]*)?\)/g) ?? [];
    if (uses.length > 0) found[file] = uses.length;
  }
  assert.deepEqual(found, DATES);
});
