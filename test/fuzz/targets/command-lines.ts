import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { commands, loadCommands } from '../../../src/commands/index.js';
import { SAVED } from '../../fixtures/saved.js';
import { assertPlain, hostileNumber, hostileText } from '../hostile.js';
import { defineTarget } from '../target.js';

await loadCommands(undefined);
const BIN = fileURLToPath(new URL('../../../../bin/run.js', import.meta.url));

/** What runs on for longer is a valid command; it is asked to end, ms. */
const RUNS_FOR_MS = 3_000;

const folder = mkdtempSync(join(tmpdir(), 'envd-bench-fuzz-'));
const inner = join(folder, 'a', 'b');
mkdirSync(inner, { recursive: true });
cpSync(SAVED, join(inner, 'saved.json'));

/** Whatever is drawn must not lead out of the folder: what it may name can be written to. */
const confined = (text: string): string => text.replaceAll('/', '_').replaceAll('\0', '');

const value = fc.oneof(
  fc.constantFrom('100ms', '1s', '-1', '0', '1e9', 'null', 'saved.json', 'guarded', 'refused'),
  hostileText.map(confined),
  hostileNumber.map(String),
);
const word = fc.oneof(
  fc.constantFrom('--json', '--help', '--', '-', '-h', '--version', 'saved.json', 'out'),
  value,
);

/** The flags of a command beside those that there are not, with values or without. */
const commandLine = fc.constantFrom(...Object.keys(commands)).chain((name) => {
  const flags = Object.keys(commands[name]?.flags ?? {});
  const flag = fc.constantFrom(...flags, 'nope', 'intervall').map((one) => `--${one}`);
  const piece = fc.oneof(
    { weight: 4, arbitrary: fc.tuple(flag, value) },
    { weight: 1, arbitrary: fc.tuple(flag) },
    { weight: 1, arbitrary: fc.tuple(flag, value).map(([one, text]) => [`${one}=${text}`]) },
    { weight: 2, arbitrary: fc.tuple(word) },
  );
  return fc.array(piece, { maxLength: 4 }).map((pieces) => [name, ...pieces.flat()]);
});

/** The whole program with whole command lines. */
export const commandLines = defineTarget({
  name: 'command-lines',
  isSlow: true,
  input: fc.oneof(
    { weight: 9, arbitrary: commandLine },
    { weight: 1, arbitrary: fc.array(word, { maxLength: 4 }) },
  ),
  async check(words) {
    const { code, signal, text } = await ended(words);
    assert.equal(signal, null, `ended by ${signal}`);
    assert.ok([0, 1, 2, 130].includes(code ?? -1), `exit code ${code}: ${text}`);
    assert.doesNotMatch(text, /^ {4}at .*:\d+|unexpected:|ExperimentalWarning/m);
    assertPlain(text);
  },
  close: async () => rmSync(folder, { recursive: true, force: true }),
});

function ended(
  words: readonly string[],
): Promise<{ code: number | null; signal: string | null; text: string }> {
  const { PATH } = process.env;
  const child = spawn(process.execPath, [BIN, ...words], {
    cwd: inner,
    env: { PATH, HOME: folder, TMPDIR: folder, LC_ALL: 'C.UTF-8' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const timer = setTimeout(() => child.kill('SIGTERM'), RUNS_FOR_MS);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, text });
    });
  });
}
