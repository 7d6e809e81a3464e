import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { netnsReader } from '../../src/observe/netns-reader.js';
import { parseSockStat, readProc } from '../../src/observe/proc/counters.js';
import { NOTHING_READ } from '../../src/observe/reading.js';
import { until } from '../base/until.js';
import { Connections } from './connections.js';

test('the counters of a namespace, and the sockets that lead to MMDS', async (t) => {
  const sockets = parseSockStat(readProc('/proc/self/net/sockstat') ?? '');
  if (!sockets || sockets.inUse + sockets.timeWait > 900) {
    t.skip('too many sockets in this namespace to walk them all');
    return;
  }
  const mine = await Connections.open(t, '127.81.1.1');
  const other = await Connections.open(t, '127.81.1.2');
  const read = netnsReader(process.pid, mine.remote, null);
  const before = read();
  assert.equal(before.portsInUse, 0);
  await other.connect(3);
  await mine.connect(5);
  const during = read();
  assert.equal(during.portsInUse, 5);
  // Others in this namespace may open connections too.
  assert.ok((during.activeOpens ?? 0) >= (before.activeOpens ?? Number.NaN) + 8);
  await mine.close();
  await until('all are in TIME_WAIT', () => (read().timeWait ?? 0) >= 5);
  const after = read();
  assert.equal(after.portsInUse, 5);
  assert.ok((after.attemptFails ?? -1) >= (before.attemptFails ?? Number.NaN));
  assert.ok((after.timeWaitOverflow ?? -1) >= 0);
});

test('a counter whose reading took long is read again, for its time would be another one', (t) => {
  // The clock before and after each reading: the first takes 50 ms, the second one.
  const times = [1_000, 1_050, 1_051, 1_052];
  const hrtime = Object.assign(
    () => [0, (times.shift() ?? 2_000) * 1e6] as [number, number],
    process.hrtime,
  );
  const read = netnsReader(process.pid, { host: '127.81.1.1', port: 80 }, null);
  t.mock.method(process, 'hrtime', hrtime);
  const { atMs } = read();
  t.mock.restoreAll();
  assert.equal(atMs, 1_052);
});

test('a counter that cannot be read in an instant has no time', (t) => {
  let nowMs = 0;
  const hrtime = Object.assign(() => {
    nowMs += 50;
    return [0, nowMs * 1e6] as [number, number];
  }, process.hrtime);
  const read = netnsReader(process.pid, { host: '127.81.1.1', port: 80 }, null);
  t.mock.method(process, 'hrtime', hrtime);
  const { atMs, activeOpens } = read();
  t.mock.restoreAll();
  assert.equal(atMs, null);
  assert.equal(typeof activeOpens, 'number');
});

test('of a process that is gone nothing is read, and nothing is thrown', async () => {
  const child = spawn('true');
  await once(child, 'close');
  const read = netnsReader(child.pid ?? 0, { host: '127.0.0.1', port: 80 }, null);
  assert.deepEqual(read(), NOTHING_READ);
});
