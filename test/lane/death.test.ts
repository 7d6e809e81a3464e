import assert from 'node:assert/strict';
import { constants } from 'node:os';
import { test } from 'node:test';
import { type Exit, exitInside, exitOfStatus, howEnded, momentOf } from '../../src/lane/death.js';

const ends: [Exit, string][] = [
  [{ code: 7, signal: null }, 'exited 7'],
  [{ code: 0, signal: null }, 'exited 0'],
  [{ code: null, signal: 'SIGKILL' }, 'was killed by SIGKILL'],
  [{ code: null, signal: null, error: 'spawn ENOENT' }, 'could not be started (spawn ENOENT)'],
];
for (const [exit, words] of ends) test(words, () => assert.equal(howEnded(exit), words));

test('a status of a shell: every signal by its name, all else as it is', () => {
  const numbers = new Set(Object.values(constants.signals));
  for (let status = 0; status < 256; status++) {
    const { code, signal } = exitOfStatus(status);
    if (numbers.has((status - 128) as never)) {
      assert.equal(code, null);
      assert.equal(constants.signals[signal as NodeJS.Signals], status - 128);
    } else assert.deepEqual({ code, signal }, { code: status, signal: null });
  }
  assert.equal(exitOfStatus(137).signal, 'SIGKILL');
  assert.equal(exitOfStatus(143).signal, 'SIGTERM');
});

test('unshare that stumbles over SIGKILL: the process inside was killed by it', () => {
  const words = 'unshare: sigprocmask unblock failed: Invalid argument\n';
  const stumbled = { code: 1, signal: null };
  assert.deepEqual(exitInside(stumbled, words), { code: null, signal: 'SIGKILL' });
  assert.deepEqual(exitInside(stumbled, 'unshare: unshare failed\n'), stumbled);
  assert.deepEqual(exitInside({ code: 7, signal: null }, words), { code: 7, signal: null });
});

const moments: [at: number, start: number | undefined, words: string][] = [
  [5, undefined, 'in set-up'],
  [99, 100, 'before the outage'],
  [100, 100, '0.0 s into the outage'],
  [12_400, 100, '12.3 s into the outage'],
  [60_100, 100, '60.0 s into the outage'],
  [60_101, 100, 'after the outage'],
];
for (const [at, start, words] of moments) {
  test(`${at} of ${start}: ${words}`, () => assert.equal(momentOf(at, start, 60_000), words));
}
