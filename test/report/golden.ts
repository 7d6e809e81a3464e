import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// The tests run from the repository's root; what they run is compiled into another folder.
const GOLDEN = join(process.cwd(), 'test/golden');

/** Compares with the file of that name in test/golden; `UPDATE_GOLDEN=1` writes it instead. */
export function golden(name: string, text: string): void {
  const file = join(GOLDEN, name);
  if (process.env.UPDATE_GOLDEN === '1') {
    mkdirSync(GOLDEN, { recursive: true });
    writeFileSync(file, text);
  }
  assert.equal(text, readFileSync(file, 'utf8'));
}
