import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { commands, loadCommands } from '../../src/commands/index.js';
import { displayWidth } from '../../src/report/layout.js';
import { run } from './cli.js';

await loadCommands(undefined);
const bin = fileURLToPath(new URL('../../../bin/run.js', import.meta.url));
const saved = fileURLToPath(
  new URL('../../../bench-results/reference-refused-100ms.json', import.meta.url),
);
const hasTmux = spawnSync('tmux', ['-V']).status === 0;

/** Commands that print data without a run. */
const PRINTING = [
  ['report', saved],
  ['report', saved, '--format', 'csv'],
  ['report', saved, '--format', 'html'],
  ['report', saved, '--json'],
  ['plan'],
  ['plan', '--check', saved],
  ['compare', saved, saved],
  ['doctor'],
  ['doctor', '--json'],
];

function assertFits(text: string, columns: number): void {
  for (const line of text.split('\n')) {
    assert.ok(displayWidth(line) <= columns, `${displayWidth(line)} columns: ${line}`);
  }
}

test('40 columns: help and all that is printed fits', async () => {
  const env = { ...process.env, COLUMNS: '40' };
  const all = [
    ['--help'],
    ...Object.keys(commands).map((name) => [name, '--help']),
    ['report', saved],
    ['plan'],
    ['plan', '--check', saved],
    ['compare', saved, saved],
    ['doctor'],
  ];
  for (const args of all) {
    const { stdout } = await run([bin, ...args], { env });
    assert.ok(stdout.length > 40, args.join(' '));
    // An example is to be copied: its words are whole.
    assertFits(stdout, 40);
  }
});

test('a pipe that is closed after one line is no error of any command', () => {
  const all = [...Object.keys(commands).map((name) => [name, '--help']), ...PRINTING];
  for (const args of all) {
    const script = '"$@" | head -1 > /dev/null; echo $PIPESTATUS';
    const { stdout, stderr } = spawnSync('bash', ['-c', script, 'bash', bin, ...args], {
      encoding: 'utf8',
    });
    // doctor and compare may have findings (1), but nothing failed.
    assert.match(stdout, /^[01]\n$/, `${args.join(' ')}: ${stderr}`);
    assert.equal(stderr, '', args.join(' '));
  }
});

test('output that cannot be written is told in one line, whatever command it is of', () => {
  for (const args of [...PRINTING, ['run', '--help'], ['--version']]) {
    const script = '"$@" > /dev/full';
    const { status, stderr } = spawnSync('bash', ['-c', script, 'bash', bin, ...args], {
      encoding: 'utf8',
    });
    const told = 'envd-bench: cannot write the output: the disk is full\n';
    assert.deepEqual([status, stderr], [2, told], args.join(' '));
  }
});

test('LANG=C: nothing but ASCII; no terminal, or NO_COLOR: no escapes', async () => {
  const { LC_ALL: _all, LC_CTYPE: _type, ...rest } = process.env;
  for (const args of [['report', saved], ['plan'], ['plan', '--check', saved], ['doctor']]) {
    const { stdout } = await run([bin, ...args], { env: { ...rest, LANG: 'C' } });
    assert.match(stdout, /^[\n\x20-\x7E]+$/, args.join(' '));
  }
});

const wrong: [args: string[], what: RegExp, mend: RegExp][] = [
  [['run', '--intervall', '1s'], /Nonexistent flag: --intervall/, /Did you mean --interval\?/],
  [['run', '--zzzzzzzz'], /Nonexistent flag: --zzzzzzzz/, /envd-bench run --help/],
  [['run', '--interval'], /--interval expects a value/, /--interval 100ms/],
  [['run', '--isolation', 'foo'], /auto, netns, loopback/, /run --help/],
  [['run', 'extra'], /Unexpected argument: extra/, /run --help/],
  [['verify'], /Missing required flag agent/, /--agent/],
  [['mmds', '--port', 'x'], /integer/, /mmds --help/],
  [['run', '--fault', 'nope'], /unknown fault "nope"/, /Known: none, refused, .*flap/],
  [['rnu'], /unknown command "rnu"/, /Did you mean run\? Known: agent, .*verify/],
];
for (const [args, what, mend] of wrong) {
  test(`a wrong line has its mend: ${args.join(' ')}`, async () => {
    const { code, stdout, stderr } = await run([bin, ...args]);
    assert.equal(code, 2);
    assert.equal(stdout, '');
    assert.match(stderr, what);
    assert.match(stderr, mend);
    assert.equal(stderr.trim().split('\n').length, 1);
    assert.doesNotMatch(stderr, /\.\.|undefined/);
  });
}

/** A terminal of that size in which a command runs; it stays to be looked at. */
class Tmux {
  private readonly name = `envd-bench-test-${process.pid}`;

  constructor(t: TestContext, columns: number, rows: number, command: string) {
    t.after(() => spawnSync('tmux', ['-L', this.name, 'kill-server']));
    const shell = `${command}; echo "ended $?"; sleep 60`;
    const size = ['-x', String(columns), '-y', String(rows)];
    this.tmux('-f', '/dev/null', 'new-session', '-d', ...size, shell);
  }

  /** All lines, with those joined that the terminal had to break. */
  screen(): string {
    return this.tmux('capture-pane', '-p', '-J', '-S', '-');
  }

  /** The same as `screen`, once it says what it should. */
  async when(says: RegExp): Promise<string> {
    for (let i = 0; i < 600; i++) {
      const screen = this.screen();
      if (says.test(screen)) return screen;
      await sleep(50);
    }
    throw new Error(`never seen: ${says} in ${this.screen()}`);
  }

  tmux(...args: string[]): string {
    const env = { ...process.env, LC_ALL: 'C.UTF-8' };
    return execFileSync('tmux', ['-L', this.name, ...args], { encoding: 'utf8', env });
  }
}

test('a terminal of 40 columns, made 30 in mid-run, then Ctrl-C: no line is broken', {
  skip: !hasTmux && 'no tmux',
  timeout: 90_000,
}, async (t) => {
  const out = mkdtempSync(join(tmpdir(), 'tm'));
  t.after(() => rmSync(out, { recursive: true, force: true }));
  const command = `LC_ALL=C.UTF-8 '${bin}' run --isolation loopback --outage 30s --out '${out}'`;
  const terminal = new Tmux(t, 40, 24, command);
  const before = await terminal.when(/pollers +[1-9]\d* ▁/);
  assertFits(before, 40);
  terminal.tmux('resize-window', '-x', '30', '-y', '24');
  await sleep(500);
  const resized = await terminal.when(/pollers +[1-9]\d* /);
  assertFits(resized, 40);
  terminal.tmux('send-keys', 'C-c');
  const after = await terminal.when(/ended \d+/);
  assert.match(after, /ended 130/);
  // The terminal's signal went to the main process alone.
  assert.doesNotMatch(after, /SIGINT|trouble/);
  assert.equal(terminal.tmux('display-message', '-p', '#{cursor_flag}').trim(), '1');
});
