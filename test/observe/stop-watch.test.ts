import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isStopped } from '../../src/observe/proc/process.js';
import { StopWatch } from '../../src/observe/stop-watch.js';
import { until } from '../e2e/cli.js';

function sleeper(t: TestContext): ChildProcess {
  const child = spawn('sleep', ['60']);
  t.after(() => child.kill('SIGKILL'));
  return child;
}

interface Told {
  stopped: string[];
  resumed: string[];
}

function watch(t: TestContext, ...pids: (number | undefined)[]): Told & { watch: StopWatch } {
  const told: Told = { stopped: [], resumed: [] };
  const stopWatch = new StopWatch(
    () => [{ name: 'it', pids: pids.filter((pid) => pid !== undefined) }],
    {
      onStopped: (name) => told.stopped.push(name),
      onResumed: (name) => told.resumed.push(name),
    },
  );
  t.after(() => stopWatch.end());
  return Object.assign(told, { watch: stopWatch });
}

test('a process that is stopped for good is told of once', async (t) => {
  const child = sleeper(t);
  const told = watch(t, child.pid);
  child.kill('SIGSTOP');
  await until('it is given up', () => told.stopped.length > 0);
  await sleep(500);
  assert.deepEqual([told.stopped, told.resumed], [['it'], []]);
});

test('when there is no time left, one that stands still is given up at once', async (t) => {
  const child = sleeper(t);
  const other = sleeper(t);
  const [told, none] = [child, other].map(({ pid }) => watch(t, pid));
  child.kill('SIGSTOP');
  await until('it is stopped', () => isStopped(child.pid ?? 0));
  told?.watch.giveUpStanding();
  none?.watch.giveUpStanding();
  assert.deepEqual([told?.stopped, none?.stopped], [['it'], []]);
});

test('each process of a part is watched: two short stops of two are no long one', async (t) => {
  const [first, second] = [sleeper(t), sleeper(t)];
  const told = watch(t, first.pid, second.pid);
  second.kill('SIGSTOP');
  await sleep(1_800);
  first.kill('SIGSTOP');
  await sleep(400);
  second.kill('SIGCONT');
  await until('it is told', () => told.resumed.length > 0);
  await sleep(1_000);
  assert.deepEqual(told.stopped, []);
  await until('the other is given up', () => told.stopped.length > 0);
});

test('one that goes on is told of as a pause', async (t) => {
  const child = sleeper(t);
  const told = watch(t, child.pid);
  child.kill('SIGSTOP');
  await sleep(600);
  child.kill('SIGCONT');
  await until('it is told', () => told.resumed.length > 0);
  assert.deepEqual([told.stopped, told.resumed], [[], ['it']]);
});

test('one that runs, none, and one that is gone are no trouble', async (t) => {
  const child = sleeper(t);
  const gone = sleeper(t);
  gone.kill('SIGKILL');
  await until('it is gone', () => gone.signalCode !== null);
  const pids = [child.pid, undefined, gone.pid];
  const told = pids.map((pid) => watch(t, pid));
  await sleep(4_000);
  for (const { stopped, resumed } of told) assert.deepEqual([stopped, resumed], [[], []]);
  assert.equal(isStopped(gone.pid ?? 0), false);
});
