import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SpawnedPoller } from '../../../src/agents/guards/guard.js';
import { guards } from '../../../src/agents/guards/index.js';
import { deferred } from '../../../src/base/deferred.js';

/** An agent's guard with pollers that end as the test says. */
class Bench {
  readonly spawned: { renewed: number; end(): void; crash(): void }[] = [];
  readonly init: () => void;

  constructor(name: string) {
    const guard = guards.get(name);
    assert.ok(guard);
    this.init = guard.create(() => this.spawn());
  }

  get last() {
    const poller = this.spawned.at(-1);
    assert.ok(poller);
    return poller;
  }

  private spawn(): SpawnedPoller {
    const { promise, resolve, reject } = deferred<void>();
    const poller = { renewed: 0, end: () => resolve(), crash: () => reject(new Error('crash')) };
    this.spawned.push(poller);
    return {
      done: promise,
      renew: () => {
        poller.renewed++;
      },
    };
  }
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('the built-in agents', () => {
  assert.deepEqual([...guards.keys()], ['unguarded', 'guarded', 'guarded-pr', 'guarded-rearm']);
  for (const [name, guard] of guards) assert.equal(guard.name, name);
  // A behaviour change needs another version.
  assert.notEqual(guards.get('guarded')?.version, guards.get('unguarded')?.version);
});

test('unguarded: every /init starts a poller, whatever became of others', async () => {
  const b = new Bench('unguarded');
  for (let i = 0; i < 5; i++) b.init();
  assert.equal(b.spawned.length, 5);
  b.last.crash();
  await settle();
  b.init();
  assert.equal(b.spawned.length, 6);
});

for (const name of ['guarded', 'guarded-pr', 'guarded-rearm']) {
  test(`${name}: one poller at a time, and another after its end`, async () => {
    const b = new Bench(name);
    for (let i = 0; i < 5; i++) b.init();
    assert.equal(b.spawned.length, 1);
    b.last.end();
    await settle();
    for (let i = 0; i < 5; i++) b.init();
    assert.equal(b.spawned.length, 2);
  });
}

for (const [name, pollers] of [
  ['guarded', 2],
  ['guarded-pr', 1],
  ['guarded-rearm', 2],
] as const) {
  const what = pollers === 2 ? 'polls again' : 'never polls again';
  test(`${name}: after a poll that threw it ${what}`, async () => {
    const b = new Bench(name);
    b.init();
    b.last.crash();
    await settle();
    b.init();
    assert.equal(b.spawned.length, pollers);
  });
}

test('guarded-rearm renews the poller that runs, once for each /init', async () => {
  const b = new Bench('guarded-rearm');
  b.init();
  assert.equal(b.last.renewed, 0);
  b.init();
  b.init();
  assert.equal(b.last.renewed, 2);
  b.last.end();
  await settle();
  b.init();
  assert.equal(b.spawned.length, 2);
  assert.equal(b.last.renewed, 0);
});

test('two agents with one guard do not know of each other', () => {
  const [one, other] = [new Bench('guarded'), new Bench('guarded')];
  one.init();
  other.init();
  assert.equal(one.spawned.length, 1);
  assert.equal(other.spawned.length, 1);
});

test('only guarded-rearm refuses an empty store', () => {
  for (const [name, { acceptsEmptyStore }] of guards) {
    assert.equal(acceptsEmptyStore, name !== 'guarded-rearm');
  }
});
