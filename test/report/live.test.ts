import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { displayWidth } from '../../src/report/layout.js';
import { type LiveState, liveFrame, liveLine } from '../../src/report/live.js';
import { sparkline } from '../../src/report/sparkline.js';

const ESC = '\u001B';
const COLOR = new RegExp(`${ESC}\\[\\d+m`, 'g');

function state(names: string[], points: (number | null)[]): LiveState {
  return {
    elapsedMs: 12_345,
    outageMs: 60_000,
    lanes: names.map((name) => ({
      name,
      points: {
        pollers: points,
        connectionsPerSecond: points.map((p) => (p === null ? null : p * 40)),
        portsInUse: points,
      },
    })),
  };
}

const view = { columns: 60, rows: 24, color: false, unicode: true };

test('a frame: time, and per lane three figures with their sparklines', () => {
  const frame = liveFrame(state(['unguarded'], [0, 50, null, 100]), view);
  assert.deepEqual(frame.split('\n'), [
    '12s of 1m, 47s left',
    'unguarded',
    '  pollers           100 ▁▅ █',
    '  connections/s   4,000 ▁▅ █',
    '  ports in use      100 ▁▅ █',
  ]);
});

test('where lanes do not fit they get a line each, and the rest is counted', () => {
  const names = Array.from({ length: 10 }, (_, i) => `lane${i}`);
  const lines = liveFrame(state(names, [7]), { ...view, columns: 100, rows: 8 }).split('\n');
  assert.equal(lines.length, 7);
  assert.equal(lines[1], 'lane0: 7 pollers, 280 connections/s, 7 ports in use');
  assert.equal(lines.at(-1), 'and 5 more lanes');
});

test('before the first sample there is no data, after the outage it is finishing', () => {
  const frame = liveFrame({ ...state(['a'], []), elapsedMs: 60_100 }, view);
  assert.match(frame, /^1m of 1m, finishing\n/);
  assert.match(frame, /pollers +–/);
});

test('any state in any terminal: never too wide, never too high, no stray control character', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'binary', maxLength: 80 }), { maxLength: 9 }),
      fc.array(fc.option(fc.integer({ min: 0, max: 1e7 })), { maxLength: 300 }),
      fc.record({
        columns: fc.integer({ min: 2, max: 200 }),
        rows: fc.integer({ min: 2, max: 60 }),
        color: fc.boolean(),
        unicode: fc.boolean(),
      }),
      (names, points, anyView) => {
        const frame = liveFrame(state(names, points), anyView);
        const lines = frame.split('\n');
        assert.ok(lines.length < anyView.rows);
        for (const line of lines) assert.ok(displayWidth(line) < anyView.columns, line);
        assert.doesNotMatch(frame.replace(COLOR, '').replaceAll('\n', ''), /[\p{Cc}\p{Cf}]/u);
        if (!anyView.color) assert.ok(!frame.includes(ESC));
        if (!anyView.unicode) assert.match(frame, /^\p{ASCII}*$/u);
      },
    ),
  );
});

test('a line for where there is no terminal', () => {
  assert.equal(
    liveLine(state(['unguarded', 'guarded'], [3])),
    '12s of 1m: unguarded: 3 pollers, 120 connections/s, 3 ports in use | ' +
      'guarded: 3 pollers, 120 connections/s, 3 ports in use',
  );
});

test('a sparkline shows the last points, scaled from 0 to the largest of them', () => {
  assert.equal(sparkline([900, 0, 1, 2, 4, 7], 5, true), '▁▂▃▅█');
  assert.equal(sparkline([0, null, 0], 5, true), '▁ ▁');
  assert.equal(sparkline([1, 7], 5, false), '.#');
  assert.equal(sparkline([1, 2], 0, true), '');
});
