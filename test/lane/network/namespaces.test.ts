import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { whyNoNamespaces } from '../../../src/lane/network/namespaces.js';

test('namespaces are there exactly where unshare can make two, one in the other', async () => {
  const why = await whyNoNamespaces();
  const unshare = [
    '--user',
    '--map-root-user',
    '--net',
    '--mount',
    '--pid',
    '--fork',
    '--mount-proc',
  ];
  const { status } = spawnSync('unshare', [...unshare, 'unshare', ...unshare, 'true']);
  // Only one way round: a namespace alone is not all that a lane needs.
  if (status !== 0) assert.notEqual(why, undefined);
  if (why === undefined) assert.equal(status, 0);
});

/** Puts a program of that name before all others in PATH, for one test. */
function shadow(t: TestContext, name: string, script: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'envd-bench-test-'));
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  const { PATH } = process.env;
  process.env.PATH = `${folder}:${PATH}`;
  t.after(() => {
    process.env.PATH = PATH;
    rmSync(folder, { recursive: true });
  });
}

test('where user namespaces are not allowed, the reason is what unshare says, in one line', async (t) => {
  shadow(
    t,
    'unshare',
    'echo "unshare: unshare failed: Operation not permitted" >&2; echo more >&2; exit 1',
  );
  assert.match((await whyNoNamespaces()) ?? '', /^[^\n]*unshare failed: Operation not permitted$/);
});

test('where a tool is missing, the reason names it', async (t) => {
  const { PATH } = process.env;
  process.env.PATH = '/nonexistent';
  t.after(() => {
    process.env.PATH = PATH;
  });
  assert.match((await whyNoNamespaces()) ?? '', /^[^\n]*setpriv[^\n]*$/);
});
