import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expandIntervals } from '../../src/planning/intervals.js';
import { parseLimits } from '../../src/planning/limits.js';
import { assertUsageError } from '../base/usage-error.js';

test('limits that are none', () => {
  const rows = [
    [{ maxPollers: '0' }, /--max-pollers "0" is not a number above 0/],
    [{ maxPollers: '-1' }, /--max-pollers "-1"/],
    [{ maxPorts: '50' }, /--max-ports "50" is not a share.*50%/],
    [{ maxPorts: '0%' }, /--max-ports "0%"/],
    [{ maxPorts: '101%' }, /--max-ports "101%"/],
    [{ maxCpu: 'half' }, /--max-cpu "half"/],
    [{ maxConnectionsPerSecond: '1e999' }, /--max-connections-per-second "1e999"/],
  ] as const;
  for (const [texts, says] of rows)
    assert.match(assertUsageError(() => parseLimits(texts)).message, says);
});

test('ranges of intervals', () => {
  assert.deepEqual(expandIntervals(['100ms']), ['100ms']);
  assert.deepEqual(expandIntervals(['1s,2s', '3s']), ['1s', '2s', '3s']);
  assert.deepEqual(expandIntervals(['50ms..200ms']), ['50ms', '70ms', '100ms', '150ms', '200ms']);
  assert.equal(expandIntervals(['50ms..5s']).length, 13);
  assert.match(assertUsageError(() => expandIntervals(['5s..50ms'])).message, /wrong way round/);
  assert.match(
    assertUsageError(() => expandIntervals(['5..50'])).message,
    /--interval "5" has no unit/,
  );
});
