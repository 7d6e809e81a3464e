import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers';
import { deferred } from '../../src/base/deferred.js';
import { UsageError } from '../../src/base/errors.js';
import { type LaneLauncher, type RunObserver, runScenario } from '../../src/experiment/run.js';
import { parseScenarios } from '../../src/experiment/scenario.js';
import type { LaneEnd } from '../../src/lane/launch.js';
import { storm } from '../fixtures/results.js';

/** A lane without processes, whose end the test decides. */
class ScriptedLane {
  private readonly up = deferred<void>();
  private readonly end = deferred<LaneEnd>();
  readonly ready = this.up.promise;
  readonly ended = this.end.promise;
  readonly told: string[] = [];

  constructor(private readonly obeys: boolean) {
    this.ready.catch(() => {});
  }

  isUp(): void {
    this.up.resolve();
  }

  fails(message: string): void {
    this.up.reject(new Error(message));
    this.end.resolve(without(message));
  }

  go(): void {
    this.told.push('go');
  }

  stop(): void {
    this.told.push('stop');
    if (this.obeys) this.end.resolve({ ...measured(), isWhole: false });
  }

  ends(): void {
    this.end.resolve(measured());
  }

  kill(why: string): void {
    this.told.push(`kill: ${why}`);
    this.up.reject(new Error(why));
    this.end.resolve(without(why));
  }
}

function without(message: string): LaneEnd {
  return { outcome: undefined, isWhole: false, message, notes: [] };
}

function measured(): LaneEnd {
  const { predicted: _predicted, overload: _overload, ...outcome } = storm().lanes[0] ?? raise();
  return { outcome, isWhole: true, message: undefined, notes: [] };
}

function raise(): never {
  throw new Error('the fixture has no lane');
}

/** Lets everything happen that does not wait for a time. */
async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise<void>((done) => setImmediate(done));
}

function begin(t: TestContext, { sequential = false, obeys = [true, true] } = {}) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const [scenario] = parseScenarios({
    ...{ interval: ['100ms'], outage: '60s', fault: 'refused', retry: 'fixed', retryPause: '5ms' },
    ...{ retryBudget: '10s', poller: 'issue', auth: 'stored', bootPoller: false },
    ...{ agent: ['unguarded', 'guarded'], mmdsClose: 'auto', mmdsVersion: 'V2' },
    ...{ guestMemory: '1GiB', guestCpus: 'host', headroom: false, sequential, repeat: '1' },
    ...{ pollFunction: 'PollForMMDSOpts', stackDump: 'on' },
  });
  const lanes: ScriptedLane[] = [];
  const said: string[] = [];
  const observer: RunObserver = {
    start: () => {},
    sample: () => {},
    say: (line) => said.push(line),
    stop: () => {},
  };
  const launch: LaneLauncher = () => {
    const lane = new ScriptedLane(obeys[lanes.length] ?? true);
    lanes.push(lane);
    return lane;
  };
  const interrupting = new AbortController();
  const killing = new AbortController();
  const result = runScenario(
    scenario ?? raise(),
    { kind: 'loopback', reason: null },
    observer,
    { interrupt: interrupting.signal, kill: killing.signal },
    undefined,
    launch,
  );
  result.catch(() => {});
  const lane = (at: number): ScriptedLane => lanes[at] ?? raise();
  return { lanes, lane, said, result, interrupting, killing };
}

test('an interrupt: a lane that does not end is ended after four seconds, the other keeps its figures', async (t) => {
  const { lanes, lane, result, interrupting } = begin(t, { obeys: [true, false] });
  for (const one of lanes) one.isUp();
  await settle();
  interrupting.abort();
  await settle();
  assert.deepEqual(lane(1).told, ['go', 'stop']);
  t.mock.timers.tick(3_999);
  await settle();
  assert.deepEqual(lane(1).told, ['go', 'stop']);
  t.mock.timers.tick(1);
  await settle();
  assert.deepEqual(lane(1).told.slice(2), ['kill: had not ended 4 s after the interrupt']);
  const { complete, lanes: found } = await result;
  assert.equal(complete, false);
  assert.equal(found[0]?.init.sent, storm().lanes[0]?.init.sent);
  assert.deepEqual(
    [found[1]?.init.sent, found[1]?.trouble],
    [null, 'had not ended 4 s after the interrupt'],
  );
});

test('an interrupt after the end of all outages: there is nothing that it could have cut off', async (t) => {
  const { lanes, lane, result, interrupting } = begin(t, { obeys: [false, false] });
  for (const one of lanes) one.isUp();
  await settle();
  lane(0).ends();
  interrupting.abort();
  await settle();
  lane(1).ends();
  assert.equal((await result).complete, true);
});

test('an interrupt in set-up ends the lanes at once', async (t) => {
  const { lanes, result, interrupting } = begin(t);
  await settle();
  interrupting.abort();
  await settle();
  for (const { told } of lanes) assert.equal(told[0], 'kill: interrupted in set-up');
  assert.equal((await result).complete, false);
});

test('a second interrupt ends the lanes at once', async (t) => {
  const { lanes, result, interrupting, killing } = begin(t, { obeys: [false, false] });
  for (const one of lanes) one.isUp();
  await settle();
  interrupting.abort();
  killing.abort();
  await settle();
  for (const { told } of lanes) {
    assert.deepEqual(told, ['go', 'stop', 'kill: ended at once by a second interrupt']);
  }
  await result;
});

test('a lane that cannot be set up: the other is ended, and the run says why', async (t) => {
  const { lane, result } = begin(t);
  lane(0).fails('no cable');
  await settle();
  assert.deepEqual(lane(1).told, ['kill: ended with another lane, which could not be set up']);
  await assert.rejects(result, (thrown) => {
    assert.ok(thrown instanceof UsageError);
    assert.equal(thrown.message, 'no cable');
    return true;
  });
});

test('in turn: what the first lane has measured outlives a second one that cannot be set up', async (t) => {
  const { lanes, lane, result } = begin(t, { sequential: true });
  await settle();
  lane(0).isUp();
  await settle();
  lane(0).ends();
  await settle();
  assert.equal(lanes.length, 2);
  lane(1).fails('no cable');
  const { lanes: found } = await result;
  const order = found.map(({ init, trouble }) => [init.sent, trouble]);
  assert.deepEqual(
    order.sort(([a], [b]) => Number(b) - Number(a)),
    [
      [storm().lanes[0]?.init.sent, null],
      [null, 'no cable'],
    ],
  );
});

test('a lane in trouble is told of at once, and the other goes on', async (t) => {
  const { lanes, lane, said, result } = begin(t);
  for (const one of lanes) one.isUp();
  await settle();
  lane(0).kill('the agent of lane unguarded was killed by SIGKILL 1.0 s into the outage');
  await settle();
  assert.deepEqual(said, [
    'the agent of lane unguarded was killed by SIGKILL 1.0 s into the outage',
  ]);
  assert.deepEqual(lane(1).told, ['go']);
  lane(1).ends();
  assert.equal((await result).complete, true);
});
