import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readProc } from '../../src/observe/proc/counters.js';
import { type Look, parseProcessorTimes, usedByOthers } from '../../src/observe/processor-watch.js';

const STAT = `cpu  300 20 100 1000 50 7 9 30 0 0
cpu0 100 10 50 600 30 3 4 10 0 0
cpu1 200 10 50 400 20 4 5 20 0 0
intr 1 2 3
`;

const times: [string, string, number[], { busy: number; idle: number } | undefined][] = [
  ['one of two', STAT, [1], { busy: 2.8, idle: 4.2 }],
  ['both', STAT, [0, 1], { busy: 4.5, idle: 10.5 }],
  ['one that is not there', STAT, [0, 7], { busy: 1.7, idle: 6.3 }],
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

const look = (busy: number, idle: number, ours: [number, number][]): Look => ({
  times: { busy, idle },
  ours: new Map(ours),
});

const before = look(10, 20, [
  [1, 3],
  [2, 4],
]);

/** What others used of two processors in a second, by what we used of it. */
const seconds: [string, Look, number | null][] = [
  ['all is ours', look(12, 20, [[1, 4], [2, 5]]), 0], // biome-ignore format: a table
  ['half is others’', look(12, 20, [[1, 3.5], [2, 4.5]]), 1], // biome-ignore format: a table
  ['one that we have just begun is ours', look(12, 20, [[1, 3], [2, 4], [3, 2]]), 0], // biome-ignore format: a table
  ['one of ours has ended: nobody knows', look(12, 20, [[1, 4]]), null], // biome-ignore format: a table
  ['a tenth was free: nobody waited', look(11.8, 20.2, [[1, 3], [2, 4]]), null], // biome-ignore format: a table
  ['next to nothing was free', look(11.92, 20.08, [[1, 3], [2, 4]]), 1.92], // biome-ignore format: a table
  ['no time has passed', before, null],
  ['a clock that runs back', look(9, 20, [[1, 3], [2, 4]]), null], // biome-ignore format: a table
];
for (const [comment, after, expected] of seconds) {
  test(`what others used: ${comment}`, () => {
    const others = usedByOthers(before, after, 2);
    if (others === null || expected === null) assert.equal(others, expected);
    else assert.ok(Math.abs(others - expected) < 1e-9, `${others}`);
  });
}
