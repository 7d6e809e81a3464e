import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loopbackReader } from '../../src/observe/loopback-reader.js';
import { until } from '../base/until.js';
import { Connections } from './connections.js';

test('on loopback the sockets that lead to this MMDS are counted, and only these', async (t) => {
  const mine = await Connections.open(t, '127.81.0.1');
  const other = await Connections.open(t, '127.81.0.2');
  const read = loopbackReader(mine.remote);
  assert.equal(read().portsInUse, 0);
  assert.equal(read().timeWait, 0);
  await other.connect(3);
  await mine.connect(5);
  assert.equal(read().portsInUse, 5);
  await mine.close();
  await until('all are in TIME_WAIT', () => read().timeWait === 5);
  assert.equal(read().portsInUse, 5);
  assert.equal(loopbackReader(other.remote)().portsInUse, 3);
});

test('what cannot be told apart on loopback is null', () => {
  const { activeOpens, attemptFails, timeWaitOverflow } = loopbackReader({
    host: '127.81.0.3',
    port: 80,
  })();
  assert.deepEqual([activeOpens, attemptFails, timeWaitOverflow], [null, null, null]);
});
