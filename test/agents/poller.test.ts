import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { newCounters } from '../../src/agents/counters.js';
import type { Metadata } from '../../src/agents/mmds-requests.js';
import { Poller, type PollerSettings } from '../../src/agents/poller.js';
import { FakeClock } from './fake-clock.js';

const FOUND: Metadata = { sandboxId: 'i', templateId: 'e', accessTokenHash: '' };
const EMPTY: Metadata = { sandboxId: '', templateId: '', accessTokenHash: '' };

const TICK_MS = 50;
const LIFETIME_MS = 1_000;
const START = 1_000;

/** A poller whose requests are the test's own: no socket, no real time. */
class Bench {
  readonly counters = newCounters();
  readonly stored: Metadata[] = [];
  /** When a tick's request was made, ms after the start. */
  readonly asked: number[] = [];
  /** Ends the request under way. */
  answer: (metadata?: Metadata) => void = () => assert.fail('no request is under way');
  readonly poller: Poller;
  state: 'runs' | 'ended' | 'threw' = 'runs';

  constructor(
    readonly clock: FakeClock,
    private readonly start: number,
    settings: Partial<PollerSettings> = {},
    onAsked: (answer: (metadata?: Metadata) => void) => void = () => {},
    lifetimeMs = LIFETIME_MS,
  ) {
    this.poller = new Poller(
      {
        mmds: { host: '127.0.0.1', port: 1 },
        model: (_, done) => {
          this.asked.push(clock.now - start);
          this.answer = done;
          onAsked(done);
        },
        tickMs: TICK_MS,
        counters: this.counters,
        acceptsEmptyStore: true,
        store: (metadata) => this.stored.push(metadata),
        ...settings,
      },
      lifetimeMs,
    );
    this.poller.done.then(
      () => {
        this.state = 'ended';
      },
      () => {
        this.state = 'threw';
      },
    );
  }

  /** Goes on to so many ms after the start, and lets promises settle. */
  async goTo(ms: number): Promise<void> {
    this.clock.goTo(this.start + ms);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function bench(
  t: TestContext,
  settings: Partial<PollerSettings> = {},
  onAsked?: (answer: (metadata?: Metadata) => void) => void,
): Bench {
  return new Bench(new FakeClock(t, START), START, settings, onAsked);
}

const failAtOnce = (answer: (metadata?: Metadata) => void): void => answer();

test('the first tick comes after one period, and then every period until the deadline', async (t) => {
  const b = bench(t, {}, failAtOnce);
  await b.goTo(49);
  assert.deepEqual(b.asked, []);
  await b.goTo(5_000);
  // 50, 100, … 950: the tick at 1,000 is lost to the deadline.
  assert.deepEqual(
    b.asked,
    Array.from({ length: 19 }, (_, i) => (i + 1) * TICK_MS),
  );
  assert.equal(b.counters.ticks, 19);
  assert.equal(b.counters.ticksDropped, 0);
  assert.equal(b.counters.pollersExpired, 1);
  assert.equal(b.counters.pollersFinished, 0);
  assert.equal(b.counters.pollersRunning, 0);
  assert.equal(b.state, 'ended');
  assert.equal(b.clock.waiting, 0);
});

test('an answer ends it, and is stored', async (t) => {
  const b = bench(t);
  await b.goTo(60);
  b.answer(FOUND);
  await b.goTo(5_000);
  assert.deepEqual(b.stored, [FOUND]);
  assert.deepEqual(b.asked, [50]);
  assert.equal(b.counters.pollersFinished, 1);
  assert.equal(b.counters.pollersExpired, 0);
  assert.equal(b.counters.pollersRunning, 0);
  assert.equal(b.state, 'ended');
  assert.equal(b.clock.waiting, 0);
});

test('of the ticks that fall into a long request one is kept, the others are dropped', async (t) => {
  const b = bench(t);
  // The request of 50 ends at 230: the tick of 100 is kept, those of 150 and 200 are dropped.
  await b.goTo(230);
  b.answer();
  await b.goTo(230);
  assert.deepEqual(b.asked, [50, 230]);
  assert.equal(b.counters.ticksDropped, 2);
  // Then the grid goes on.
  b.answer();
  await b.goTo(249);
  assert.equal(b.asked.length, 2);
  await b.goTo(250);
  assert.deepEqual(b.asked, [50, 230, 250]);
});

test('a request that ends within its period costs no tick', async (t) => {
  const b = bench(t);
  await b.goTo(99);
  b.answer();
  await b.goTo(100);
  assert.deepEqual(b.asked, [50, 100]);
  assert.equal(b.counters.ticksDropped, 0);
});

/** Go's ticker and loop: a channel that holds one tick; what finds it full is dropped. */
function goTicker(durations: readonly number[]): { asked: number[]; dropped: number } {
  const asked: number[] = [];
  let kept = false;
  let dropped = 0;
  let freeAt = 0;
  let at = 0;
  const begin = (now: number): void => {
    freeAt = now + (durations[at++ % durations.length] ?? 0);
    asked.push(now);
  };
  for (let tick = TICK_MS; tick < LIFETIME_MS; tick += TICK_MS) {
    while (kept && freeAt <= tick) {
      kept = false;
      begin(freeAt);
    }
    if (freeAt <= tick) begin(tick);
    else if (kept) dropped++;
    else kept = true;
  }
  if (kept && freeAt < LIFETIME_MS) begin(freeAt);
  return { asked, dropped };
}

test('with requests of any length it ticks as Go’s ticker does', async (t) => {
  // Never on the grid itself, where two things at one instant have no order: a lifetime holds no 64.
  const duration = fc.integer({ min: 1, max: 260 }).map((ms) => ms + 1 / 64);
  let start = START;
  await fc.assert(
    fc.asyncProperty(fc.array(duration, { minLength: 1, maxLength: 6 }), async (durations) => {
      start += 10_000;
      const clock = new FakeClock(t, start);
      let at = 0;
      const b = new Bench(clock, start, {}, (answer) => {
        setTimeout(answer, durations[at++ % durations.length] ?? 0);
      });
      await b.goTo(LIFETIME_MS - 0.01);
      const expected = goTicker(durations);
      assert.deepEqual(b.asked, expected.asked);
      // The last request may still run; ticks that it costs are counted at its end.
      assert.ok(b.counters.ticksDropped <= expected.dropped);
      assert.ok(expected.dropped - b.counters.ticksDropped <= 260 / TICK_MS);
      await b.goTo(LIFETIME_MS + 1_000);
      assert.equal(b.counters.pollersRunning, 0);
      t.mock.restoreAll();
    }),
    { numRuns: 100 },
  );
});

test('an event loop that stands still drops ticks and makes no burst', async (t) => {
  const b = bench(t, {}, failAtOnce);
  await b.goTo(50);
  b.clock.stallTo(START + 520);
  await b.goTo(520);
  // The tick of 100, late; then the one kept of those up to 500; then the grid.
  await b.goTo(600);
  assert.deepEqual(b.asked, [50, 520, 520, 550, 600]);
  assert.equal(b.counters.ticksDropped, 7);
  assert.equal(b.counters.ticks + b.counters.ticksDropped, 12);
});

test('an event loop that stands still past the deadline makes no tick after it', async (t) => {
  const b = bench(t, {}, failAtOnce);
  b.clock.stallTo(START + LIFETIME_MS + 10);
  await b.goTo(5_000);
  assert.deepEqual(b.asked, []);
  assert.equal(b.counters.pollersExpired, 1);
  assert.equal(b.counters.pollersRunning, 0);
});

test('the deadline comes in mid-request: what the request says later changes nothing', async (t) => {
  const b = bench(t);
  await b.goTo(2_000);
  assert.equal(b.counters.pollersExpired, 1);
  b.answer(FOUND);
  await b.goTo(5_000);
  assert.deepEqual(b.stored, []);
  assert.equal(b.counters.pollersFinished, 0);
  assert.equal(b.counters.pollersRunning, 0);
  assert.deepEqual(b.asked, [50]);
});

test('a cancel ends it at once, and only once', async (t) => {
  const b = bench(t);
  await b.goTo(60);
  b.poller.cancel();
  b.poller.cancel();
  b.answer(FOUND);
  await b.goTo(5_000);
  assert.equal(b.state, 'ended');
  assert.equal(b.counters.pollersRunning, 0);
  assert.equal(b.counters.pollersExpired + b.counters.pollersFinished, 0);
  assert.equal(b.clock.waiting, 0);
});

test('an empty identity ends it where it is accepted', async (t) => {
  const b = bench(t, { acceptsEmptyStore: true });
  await b.goTo(60);
  b.answer(EMPTY);
  await b.goTo(200);
  assert.deepEqual(b.stored, [EMPTY]);
  assert.equal(b.counters.pollersFinished, 1);
});

test('an empty identity is asked again where it is not accepted', async (t) => {
  const b = bench(t, { acceptsEmptyStore: false });
  await b.goTo(60);
  b.answer(EMPTY);
  await b.goTo(110);
  assert.deepEqual(b.stored, []);
  b.answer({ ...EMPTY, templateId: 'e' });
  await b.goTo(200);
  assert.equal(b.stored.length, 1);
  assert.equal(b.counters.pollersFinished, 1);
});

test('a store that throws makes the poll throw', async (t) => {
  const b = bench(t, {
    store: () => {
      throw new Error('no room');
    },
  });
  await b.goTo(60);
  b.answer(FOUND);
  await b.goTo(5_000);
  assert.equal(b.state, 'threw');
  assert.equal(b.counters.pollersRunning, 0);
  assert.equal(b.counters.pollersFinished + b.counters.pollersExpired, 0);
  assert.equal(b.clock.waiting, 0);
});

test('a poller without a time limit ticks on', async (t) => {
  const b = new Bench(new FakeClock(t, START), START, {}, failAtOnce, Number.POSITIVE_INFINITY);
  await b.goTo(100_000);
  assert.equal(b.asked.length, 2_000);
  assert.equal(b.counters.pollersRunning, 1);
  b.poller.cancel();
  assert.equal(b.counters.pollersRunning, 0);
});

test('renewed, it lives its whole lifetime from then on', async (t) => {
  const b = bench(t, {}, failAtOnce);
  await b.goTo(700);
  b.poller.renew();
  await b.goTo(1_699);
  assert.equal(b.counters.pollersRunning, 1);
  assert.equal(b.asked.at(-1), 1_650);
  await b.goTo(1_700);
  assert.equal(b.counters.pollersExpired, 1);
  assert.equal(b.counters.pollersRunning, 0);
});

test('renewed, it polls once more after the next success', async (t) => {
  const b = bench(t);
  await b.goTo(60);
  b.poller.renew();
  b.poller.renew();
  b.answer(FOUND);
  await b.goTo(100);
  assert.equal(b.counters.pollersRunning, 1);
  b.answer({ ...FOUND, sandboxId: 'new' });
  await b.goTo(200);
  assert.deepEqual(
    b.stored.map(({ sandboxId }) => sandboxId),
    ['i', 'new'],
  );
  assert.equal(b.counters.pollersFinished, 1);
  assert.equal(b.counters.pollersRunning, 0);
});

test('renewed between its last tick and its deadline, it goes on ticking', async (t) => {
  // As Node's timers: the tick due at the deadline fires a fraction of a millisecond before it.
  const clock = new FakeClock(t, START, 'node');
  const b = new Bench(clock, START, { tickMs: 50.25 }, failAtOnce, 100.5);
  await b.goTo(100.3);
  assert.equal(b.counters.pollersRunning, 1);
  assert.equal(b.asked.length, 1);
  b.poller.renew();
  await b.goTo(190);
  assert.ok(b.asked.length >= 2, 'no tick came after the renewal');
});

test('renewed after its end, it stays ended', async (t) => {
  const b = bench(t, {}, failAtOnce);
  await b.goTo(2_000);
  b.poller.renew();
  await b.goTo(9_000);
  assert.equal(b.counters.pollersRunning, 0);
  assert.equal(b.counters.pollersExpired, 1);
  assert.equal(b.clock.waiting, 0);
});

test('the peak is the most that ran at once', async (t) => {
  const clock = new FakeClock(t, START);
  const counters = newCounters();
  const pollers = [1, 2, 3].map(() => new Bench(clock, START, { counters }, failAtOnce));
  clock.goTo(START + 100);
  pollers[0]?.poller.cancel();
  new Bench(clock, START + 100, { counters }, failAtOnce);
  assert.equal(counters.pollersPeak, 3);
  assert.equal(counters.pollersSpawned, 4);
  assert.equal(counters.pollersRunning, 3);
  clock.goTo(START + 5_000);
  assert.equal(counters.pollersRunning, 0);
  assert.equal(counters.pollersExpired, 3);
});

test('its ticks and its deadline count from the start it is given, not from when it was made', async (t) => {
  const clock = new FakeClock(t, START);
  const counters = newCounters();
  const asked: number[] = [];
  const settings: PollerSettings = {
    mmds: { host: '127.0.0.1', port: 1 },
    model: (_, done) => {
      asked.push(clock.now - START);
      done();
    },
    tickMs: TICK_MS,
    counters,
    acceptsEmptyStore: true,
    store: () => assert.fail('nothing was found'),
  };
  const { done } = new Poller(settings, 4 * TICK_MS, START - TICK_MS / 2);
  clock.goTo(START + LIFETIME_MS);
  await done;
  assert.deepEqual(asked, [25, 75, 125]);
  assert.equal(counters.pollersExpired, 1);
});
