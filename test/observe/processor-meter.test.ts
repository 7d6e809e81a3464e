import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readProc } from '../../src/observe/proc/counters.js';
import { ProcessorMeter, parseProcessorTimes } from '../../src/observe/processor-meter.js';

const STAT = `cpu  300 20 100 1000 50 7 9 30 0 0
cpu0 100 10 50 600 30 3 4 10 0 0
cpu1 200 10 50 400 20 4 5 20 0 0
cpu10 1 1 1 1 1 1 1 1 0 0
intr 1 2 3
`;

const times: [string, string, number[], { busy: number; idle: number } | undefined][] = [
  ['one of several', STAT, [1], { busy: 289, idle: 420 }],
  ['two', STAT, [0, 1], { busy: 466, idle: 1_050 }],
  ['one that is not there', STAT, [0, 7], { busy: 177, idle: 630 }],
  ['none', STAT, [], undefined],
  ['nothing to read', '', [0], undefined],
  ['words', 'cpu0 a b c d e f g h', [0], undefined],
  ['a line that is cut off', 'cpu0 1 2 3', [0], undefined],
];
for (const [comment, text, cpus, expected] of times) {
  test(`the time of processors: ${comment}`, () => {
    assert.deepEqual(parseProcessorTimes(text, cpus), expected);
  });
}

test('this machine tells', () => {
  const found = parseProcessorTimes(readProc('/proc/stat') ?? '', [0]);
  assert.ok(found && found.busy > 0);
});

/** The busiest look of those in turn, each with the ticks that one processor was busy and idle since the boot. */
function peakOf(...looks: [busy: number, idle: number][]): number | null {
  const left = [...looks];
  let nowMs = 0;
  const meter = new ProcessorMeter(
    [0],
    () => {
      const [busy, idle] = left.shift() ?? assert.fail();
      return `cpu0 ${busy} 0 0 ${idle} 0 0 0 0 0 0`;
    },
    () => nowMs,
  );
  while (left.length > 0) {
    meter.look();
    // After a stall, one after the other: two busy ticks of three are no busy second.
    nowMs += 30;
    meter.look();
    nowMs += 970;
  }
  return meter.busyPeak;
}

test('the busiest look counts, and one alone says nothing', () => {
  assert.equal(peakOf([500, 500]), null);
  assert.equal(peakOf([500, 500], [520, 580]), 0.2);
  assert.equal(peakOf([500, 500], [600, 500], [610, 590]), 1);
  assert.equal(peakOf([500, 500], [510, 590], [605, 595]), 0.95);
});

test('times that stand still or run back are no look', () => {
  assert.equal(peakOf([500, 500], [500, 500]), null);
  assert.equal(peakOf([500, 500], [400, 600]), null);
  assert.equal(peakOf([500, 500], [600, 499]), 1);
});

test('of processors that cannot be seen nothing is known', () => {
  let nowMs = 0;
  const meter = new ProcessorMeter(
    [99],
    () => STAT,
    () => nowMs,
  );
  meter.look();
  nowMs = 1_000;
  meter.look();
  assert.equal(meter.busyPeak, null);
});
