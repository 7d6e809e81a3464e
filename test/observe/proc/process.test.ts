import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import {
  childrenOf,
  parseProcessStat,
  parseResident,
  treeOf,
  useOfTree,
} from '../../../src/observe/proc/process.js';
import { until } from '../../base/until.js';

/** /proc/PID/stat of a process with that command: 250 + 50 ticks, 7 threads, 408 pages. */
function stat(command: string): string {
  return `3900 (${command}) R 3898 3898 12721 0 -1 4194304 102 0 0 0 250 50 9 9 20 0 7 0 439678 3133440 408 18446744073709551615 1 2 3\n`;
}

for (const command of ['node', 'a b', ')', ') R 1 1 1', '(((', 'x) (y', '']) {
  test(`/proc/PID/stat of the command ${JSON.stringify(command)}`, () => {
    assert.deepEqual(parseProcessStat(stat(command)), { cpuSeconds: 3, threads: 7 });
  });
}

test('resident memory, whatever the size of a page', () => {
  assert.equal(parseResident('Name:\tnode\nVmRSS:\t   60420 kB\nThreads:\t11\n'), 60_420 * 1024);
  assert.equal(parseResident('Name:\tnode\nState:\tZ (zombie)\n'), 0);
});

for (const text of ['', '1 (node) R 1 2', 'garbage', stat('node').replace('250', 'x')]) {
  test(`no /proc/PID/stat: ${JSON.stringify(text.slice(0, 30))}`, () => {
    assert.equal(parseProcessStat(text), undefined);
  });
}

test('garbage for /proc/PID/stat gives finite figures or none, and throws nothing', () => {
  const nearly = fc
    .array(fc.constantFrom(')', ' ', '1', 'x', '-', ''))
    .map((parts) => parts.join(' '));
  fc.assert(
    fc.property(fc.oneof(nearly, fc.string({ unit: 'binary' })), (text) => {
      const use = parseProcessStat(text);
      if (use) assert.ok(Object.values(use).every(Number.isFinite));
    }),
  );
});

/** A shell with two children, one of which has a child of its own. */
async function family(t: TestContext): Promise<{ child: ChildProcess; pid: number }> {
  const child = spawn('sh', ['-c', 'sleep 60 & sh -c "sleep 60; true" & wait'], { detached: true });
  const { pid } = child;
  assert.ok(pid);
  t.after(() => {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It has ended with the test.
    }
  });
  await until('all four are there', () => treeOf(pid).length === 4);
  return { child, pid };
}

test('children and descendants of a process', async (t) => {
  const { pid } = await family(t);
  assert.equal(childrenOf(pid).length, 2);
  assert.ok(childrenOf(process.pid).includes(pid));
  const tree = treeOf(pid);
  assert.equal(new Set(tree).size, 4);
  assert.equal(tree[0], pid);
});

test('what a process tree uses is the sum of its parts', async (t) => {
  const { pid } = await family(t);
  const all = useOfTree(pid);
  const parts = childrenOf(pid).map(useOfTree);
  assert.ok(all);
  assert.equal(all.threads, 4);
  assert.ok(all.rssBytes > parts.reduce((sum, part) => sum + (part?.rssBytes ?? 0), 0));
  assert.ok((all.openFiles ?? 0) >= 12);
});

test('a process that is gone, or never was', async (t) => {
  const { child, pid } = await family(t);
  process.kill(-pid, 'SIGKILL');
  await once(child, 'close');
  assert.deepEqual(childrenOf(pid), []);
  assert.equal(useOfTree(pid), undefined);
  assert.deepEqual(treeOf(undefined), []);
});

test('the CPU time of this process only grows', () => {
  const first = useOfTree(process.pid);
  const endsAt = performance.now() + 50;
  while (performance.now() < endsAt);
  const second = useOfTree(process.pid);
  assert.ok(first && second);
  assert.ok(second.cpuSeconds >= first.cpuSeconds && second.cpuSeconds > 0);
  assert.ok(second.rssBytes > 10e6);
});
