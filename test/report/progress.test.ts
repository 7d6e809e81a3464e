import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Writable } from 'node:stream';
import { afterEach, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { createProgress, type Progress } from '../../src/report/progress.js';
import { terminalOf } from '../../src/report/terminal.js';

const UTF8 = { LANG: 'C.UTF-8', TERM: 'xterm-256color' };
const ESC = '\u001B';
const HIDE = `${ESC}[?25l`;
const SHOW = `${ESC}[?25h`;

/** A stream that remembers what was written, and may claim to be a terminal. */
class Screen extends Writable {
  text = '';
  writes = 0;
  columns = 60;
  rows = 24;
  constructor(readonly isTTY: boolean) {
    super({ decodeStrings: false });
  }
  override _write(chunk: string, _encoding: string, done: () => void): void {
    this.text += chunk;
    this.writes++;
    done();
  }
}

const running: Progress[] = [];
afterEach(() => {
  for (const progress of running.splice(0)) progress.stop();
});

function shown(stream: Screen, env: NodeJS.ProcessEnv = UTF8) {
  const clock = { ms: 0 };
  const progress = createProgress(stream, { isTTY: stream.isTTY, env, now: () => clock.ms });
  running.push(progress);
  const sample = (tMs: number, lane = 'unguarded') => {
    clock.ms = tMs;
    const pollers = Math.ceil(tMs / 100);
    const connectionsPerSecond = pollers * 40;
    const rest = { portsInUse: 2, timeWait: 0, initLatencyMs: 1, healthLatencyMs: 1 };
    progress.sample(lane, { tMs, pollers, connectionsPerSecond, ...rest });
  };
  return { clock, progress, sample };
}

test('no terminal: a plain line every five seconds a run, and no escape byte', () => {
  const stream = new Screen(false);
  const { progress, sample } = shown(stream);
  progress.start(['unguarded', 'guarded'], 20_000);
  for (let t = 100; t <= 20_000; t += 100) {
    sample(t);
    sample(t, 'guarded');
  }
  progress.say('\u001B[31msaved\u001B[0m bench-results/x.json\r\nnext');
  progress.stop();
  const lines = stream.text.split('\n');
  assert.deepEqual(
    lines.map((line) => line.slice(0, 10)),
    ['5s of 20s:', '10s of 20s', '15s of 20s', '20s of 20s', 'saved benc', ''],
  );
  assert.match(lines[1] ?? '', /unguarded: 100 pollers, 4,000 connections\/s.*guarded: /);
  assert.equal(lines[4], 'saved bench-results/x.json next');
  assert.doesNotMatch(stream.text.replaceAll('\n', ''), /\p{Cc}/u);
});

test('TERM=dumb is no terminal to draw on', () => {
  const stream = new Screen(true);
  const { progress, sample } = shown(stream, { ...UTF8, TERM: 'dumb' });
  progress.start(['unguarded'], 60_000);
  sample(6000);
  progress.stop();
  assert.match(stream.text, /^6s of 1m: unguarded: 60 pollers/);
  assert.ok(!stream.text.includes(ESC));
});

test('a terminal that does not know its size gets plain lines', () => {
  const stream = Object.assign(new Screen(true), { columns: 0, rows: 0 });
  const { progress, sample } = shown(stream);
  progress.start(['unguarded'], 60_000);
  sample(6000);
  assert.ok(!stream.text.includes(ESC));
});

test('a terminal: a picture at most ten times a second, the cursor hidden and restored', () => {
  const stream = new Screen(true);
  const listeners = process.listenerCount('exit');
  const { progress, sample } = shown(stream);
  progress.start(['unguarded'], 60_000);
  assert.ok(stream.text.startsWith(HIDE));
  const before = stream.writes;
  for (let t = 1; t <= 1000; t++) sample(t);
  assert.ok(stream.writes - before >= 5 && stream.writes - before <= 10, `${stream.writes}`);
  assert.match(stripVTControlCharacters(stream.text), /pollers +10 /);
  progress.stop();
  assert.ok(stream.text.endsWith(SHOW));
  const { writes } = stream;
  progress.stop();
  sample(5000);
  assert.equal(stream.writes, writes);
  assert.equal(process.listenerCount('exit'), listeners);
});

test('a process that ends in mid-picture gives the cursor back', () => {
  const stream = new Screen(true);
  const before = process.listeners('exit');
  const { progress } = shown(stream);
  progress.start(['unguarded'], 60_000);
  const [restore, ...others] = process.listeners('exit').filter((one) => !before.includes(one));
  assert.equal(others.length, 0);
  assert.ok(!stream.text.endsWith(SHOW));
  restore?.call(process, 0);
  assert.ok(stream.text.endsWith(SHOW));
});

test('the last sample is drawn even where no other follows', async () => {
  const stream = new Screen(true);
  const { progress, sample } = shown(stream);
  progress.start(['unguarded'], 60_000);
  sample(50);
  // The timer of the picture does not hold the process open: something else must.
  const hold = setInterval(() => undefined, 1000);
  while (!/pollers +1 /.test(stripVTControlCharacters(stream.text))) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  clearInterval(hold);
});

test('a line that stays is written above the picture, which is drawn again', () => {
  const stream = new Screen(true);
  const { progress, sample } = shown(stream);
  progress.say('before');
  progress.start(['unguarded'], 60_000);
  sample(1000);
  stream.text = '';
  progress.say('lane unguarded\u001B[2J is ready');
  const text = stripVTControlCharacters(stream.text);
  assert.ok(text.indexOf('lane unguarded is ready\n') < text.indexOf('1s of 1m'));
  assert.ok(!stream.text.includes(`${ESC}[2J`));
});

test('a resized terminal gets a picture of its new size', () => {
  const stream = new Screen(true);
  const { progress, sample } = shown(stream);
  progress.start(['unguarded'], 60_000);
  sample(1000);
  for (const columns of [20, 0, 90]) {
    stream.text = '';
    stream.columns = columns;
    stream.emit('resize');
    const longest = Math.max(
      ...stripVTControlCharacters(stream.text)
        .split('\n')
        .map((l) => l.length),
    );
    assert.ok(longest < Math.max(columns, 1), `${longest} in ${columns}`);
    // At once, and not with the next sample; but not where nobody knows the width.
    assert.equal(stream.text.includes('pollers'), columns > 0);
  }
  progress.stop();
  assert.equal(stream.listenerCount('resize'), 0);
});

test('NO_COLOR leaves out colours', () => {
  const colors = new RegExp(`${ESC}\\[\\d+m`);
  for (const [env, colored] of [
    [UTF8, true],
    [{ ...UTF8, NO_COLOR: '1' }, false],
    [{ ...UTF8, NO_COLOR: '' }, true],
  ] as const) {
    const stream = new Screen(true);
    const { progress, sample } = shown(stream, env);
    progress.start(['unguarded'], 60_000);
    sample(1000);
    assert.equal(colors.test(stream.text), colored);
  }
});

test('one progress shows several runs', () => {
  const stream = new Screen(true);
  const { progress, sample } = shown(stream);
  for (const name of ['first', 'second']) {
    progress.start([name], 60_000);
    sample(1000, name);
    progress.stop();
  }
  assert.equal(stream.text.split(HIDE).length, 3);
  assert.equal(stream.text.split(SHOW).length, 3);
});

test('what a stream can show', () => {
  const size = { columns: 100, rows: 30 };
  const look = (isTTY: boolean, env: NodeJS.ProcessEnv) =>
    terminalOf(isTTY ? size : {}, { isTTY, env });
  assert.deepEqual(look(true, UTF8), { ...size, color: true, unicode: true, live: true });
  assert.deepEqual(look(true, { TERM: 'dumb' }), {
    ...size,
    color: false,
    unicode: false,
    live: false,
  });
  assert.equal(look(false, UTF8).color, false);
  assert.equal(look(false, { COLUMNS: '40' }).columns, 40);
  assert.equal(look(false, { COLUMNS: '-1' }).columns, 120);
  assert.equal(look(true, { LC_ALL: 'C', LANG: 'de_DE.UTF-8' }).unicode, false);
});

test('a reader that goes away ends the output, not the process', async () => {
  const module = new URL('../../src/report/progress.js', import.meta.url).href;
  const script = `
    const { createProgress } = await import(${JSON.stringify(module)});
    for (const isTTY of [true, false]) {
      const progress = createProgress(process.stderr, { isTTY, env: {} });
      progress.start(['a'], 60_000);
      for (let i = 1; i <= 50; i++) {
        progress.say('line ' + i);
        progress.sample('a', { tMs: i, pollers: 1, connectionsPerSecond: 1, portsInUse: 1, timeWait: 0 });
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      progress.stop();
    }
    console.log('still here');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stderr.destroy();
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    out += chunk;
  });
  const [code] = await once(child, 'close');
  assert.equal(out, 'still here\n');
  assert.equal(code, 0);
});
