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

/** What has not ended long after that hangs, ms. */
const HANGS_AFTER_MS = 25_000;

/** Those that a signal ends, and nothing else. */
const RUNNING_ON = ['agent', 'matrix', 'mmds', 'run', 'verify'];

let folder: string | undefined;

/** A folder of its own for all inputs; two levels deep, so that `..` leads nowhere either. */
function place(): { home: string; inner: string } {
  if (folder === undefined) {
    folder = mkdtempSync(join(tmpdir(), 'envd-bench-fuzz-'));
    mkdirSync(join(folder, 'a', 'b'), { recursive: true });
    cpSync(SAVED, join(folder, 'a', 'b', 'saved.json'));
  }
  return { home: folder, inner: join(folder, 'a', 'b') };
}

/** Whatever is drawn must not lead out of the folder: what it may name can be written to. */
const confined = (text: string): string => text.replaceAll('/', '_').replaceAll('\0', '');

/** Values that are right for some flag; of the others a default. */
const VALID: Record<string, readonly string[]> = {
  agent: ['guarded', 'unguarded', 'mine=guarded'],
  auth: ['mmds'],
  fault: ['none', 'http-error:503', 'flap:1s/1s', 'refused@0s,none@1s'],
  format: ['table', 'markdown', 'csv', 'html', 'json'],
  hosts: ['50'],
  interval: ['100ms', '50ms,1s'],
  isolation: ['loopback', 'netns'],
  mmds: ['127.0.0.1:8169'],
  outage: ['200ms', '1s'],
  poller: ['envd', 'issue'],
  port: ['8169', '65535'],
  pr: ['1'],
  repeat: ['2'],
  retry: ['orchestrator'],
  threshold: ['guarded.pollers.peak<=1'],
};

const ARGUMENTS: Record<string, readonly string[]> = {
  comment: ['saved.json'],
  compare: ['saved.json', 'saved.json'],
  report: ['saved.json'],
};

const hostile = fc.oneof(hostileText.map(confined), hostileNumber.map(String));

/** Of a command its flags, mostly with values that are right, and what it needs. */
const commandLine = fc.constantFrom(...Object.keys(commands)).chain((name) => {
  const known = commands[name]?.flags ?? {};
  const flag = (one: string): fc.Arbitrary<string[]> => {
    if (known[one]?.type === 'boolean') return fc.constant([`--${one}`]);
    const right = fc.constantFrom(...(VALID[one] ?? ['saved.json', '1', '1s']));
    const value = fc.oneof({ weight: 3, arbitrary: right }, { weight: 2, arbitrary: hostile });
    return fc
      .tuple(value, fc.boolean())
      .map(([text, isJoined]) => (isJoined ? [`--${one}=${text}`] : [`--${one}`, text]));
  };
  const flags = fc
    .uniqueArray(fc.constantFrom(...Object.keys(known)), { maxLength: 5 })
    .chain((names) => fc.tuple(...names.map(flag)));
  const stray = fc.oneof(
    { weight: 9, arbitrary: fc.constant([]) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(['--nope'], ['--'], ['-'], ['--help'], ['saved.json']),
    },
    { weight: 1, arbitrary: hostile.map((text) => [text]) },
  );
  const needs = fc.oneof(
    { weight: 4, arbitrary: fc.constant(ARGUMENTS[name] ?? []) },
    { weight: 1, arbitrary: fc.constant([]) },
  );
  const required = Object.keys(known).filter((one) => known[one]?.required);
  return fc
    .tuple(needs, fc.tuple(...required.map(flag)), flags, stray)
    .map(([first, must, more, other]) => [
      name,
      ...first,
      ...must.flat(),
      ...more.flat(),
      ...other,
    ]);
});

/** The whole program with whole command lines. */
export const commandLines = defineTarget({
  name: 'command-lines',
  isSlow: true,
  input: fc.oneof(
    { weight: 9, arbitrary: commandLine },
    { weight: 1, arbitrary: fc.array(hostile, { maxLength: 4 }) },
  ),
  async check(words) {
    const { code, signal, text } = await ended(words);
    // Asked to end before it listens, a command that runs on is ended by the signal itself.
    const mayEndWith: unknown[] = [0, 1, 2, 130, ...(runsOn(words) ? ['SIGTERM'] : [])];
    assert.ok(mayEndWith.includes(code ?? signal), `ended with ${code ?? signal}: ${text}`);
    assert.doesNotMatch(text, /^ {4}at .*:\d+|unexpected:|ExperimentalWarning/m);
    assertPlain(text);
  },
  async close() {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  },
});

function runsOn([name = '']: readonly string[]): boolean {
  return RUNNING_ON.includes(name);
}

function ended(
  words: readonly string[],
): Promise<{ code: number | null; signal: string | null; text: string }> {
  const { PATH } = process.env;
  const { home, inner } = place();
  const child = spawn(process.execPath, [BIN, ...words], {
    cwd: inner,
    env: { PATH, HOME: home, TMPDIR: home, LC_ALL: 'C.UTF-8' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const timers = [
    setTimeout(() => runsOn(words) && child.kill('SIGTERM'), RUNS_FOR_MS),
    setTimeout(() => child.kill('SIGKILL'), HANGS_AFTER_MS),
  ];
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      timers.forEach(clearTimeout);
      resolve({ code, signal, text });
    });
  });
}
