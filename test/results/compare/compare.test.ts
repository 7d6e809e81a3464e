import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type CompareOptions,
  compareResults,
  isAnythingCompared,
} from '../../../src/results/compare/compare.js';
import { parseLimits } from '../../../src/results/compare/limits.js';
import type { Row } from '../../../src/results/compare/row.js';
import type { Result } from '../../../src/results/schema.js';
import { assertUsageError } from '../../base/usage-error.js';
import { elsewhere, run, withExhaustion, withLatencies, withPeaks } from './runs.js';

const P99 = 'init.latencyMs.p99';

function compare(base: Result[], head: Result[], options: Partial<CompareOptions> = {}) {
  return compareResults(base, head, { alpha: 0.05, force: false, limits: [], ...options });
}

function rowOf(rows: readonly Row[], label: string, metric: string): Row {
  const row = rows.find((one) => one.label === label && one.metric === metric);
  assert.ok(row, `${label} ${metric}`);
  return row;
}

/** How limits on the guarded lane come out. */
function limited(base: Result[], head: Result[], limit: string) {
  const { limits } = compare(base, head, { limits: parseLimits([limit]) });
  const about = limits.find(({ label }) => label.startsWith('guarded'));
  assert.ok(about);
  return about;
}

const judged: [comment: string, base: number[], head: number[], verdict: Row['verdict']][] = [
  ['apart and slower', [1, 2, 3, 4], [11, 12, 13, 14], 'worse'],
  ['apart and faster', [11, 12, 13, 14], [1, 2, 3, 4], 'better'],
  ['inside the spread', [1, 5, 9, 13], [2, 6, 10, 14], 'no-change'],
  ['constant', [5, 5, 5, 5], [5, 5, 5, 5], 'no-change'],
  ['one and one', [1], [100], 'undecided'],
  ['three and three: p cannot be below 0.1', [1, 2, 3], [11, 12, 13], 'undecided'],
  ['unequal numbers that suffice', [1, 2, 3], [11, 12, 13, 14, 15], 'worse'],
];
for (const [comment, base, head, verdict] of judged) {
  test(`a latency, ${comment}: ${verdict}`, () => {
    const { rows } = compare(withLatencies(...base), withLatencies(...head));
    assert.equal(rowOf(rows, 'guarded', P99).verdict, verdict);
  });
}

test('a result against itself: nothing is flagged, and no limit is exceeded', () => {
  const results = withLatencies(1, 2, 3, 4, 5);
  const limits = parseLimits(['pollers.peak=0%', `${P99}=0%`, 'ports.exhaustedAtMs=0%']);
  for (const side of [results, results.slice(0, 1)]) {
    const { rows, warnings, machineDifferences, limits: checks } = compare(side, side, { limits });
    for (const { verdict } of rows) {
      assert.ok(['no-change', 'undecided', 'no-data'].includes(verdict), verdict);
    }
    assert.deepEqual([warnings, machineDifferences], [[], []]);
    assert.ok(checks.length === 6 && checks.every(({ verdict }) => verdict === 'pass'));
  }
});

test('what nobody measured is no data, whatever the other side has', () => {
  const [some, none] = [withLatencies(1, 2, 3, 4), withLatencies(null, null, null, null)];
  for (const [base, head] of [
    [some, none],
    [none, some],
    [none, none],
  ] as const) {
    const row = rowOf(compare([...base], [...head]).rows, 'guarded', P99);
    assert.deepEqual([row.verdict, row.test], ['no-data', null]);
    assert.deepEqual(
      [limited([...base], [...head], `${P99}=10%`)].map(({ verdict, reason }) => [verdict, reason]),
      [['fail', 'no data']],
    );
  }
  // A repeat without the figure is a sample less, not a zero.
  const { base } = rowOf(compare(withLatencies(1, null, 3), some).rows, 'guarded', P99);
  assert.deepEqual([base.values, base.median], [[1, 3], 2]);
});

test('of a stream of which nothing was sent, nothing is known', () => {
  const silent = run({
    guarded: (lane) => ({
      ...lane,
      health: { ...lane.health, sent: 0, answered: 0, statuses: {} },
    }),
  });
  const { rows } = compare([silent], [run()]);
  assert.equal(rowOf(rows, 'guarded', 'health.answered').base.median, null);
  assert.equal(rowOf(rows, 'guarded', 'health.failed').base.median, null);
});

const exhausted: [
  comment: string,
  base: (number | null)[],
  head: (number | null)[],
  Row['verdict'],
][] = [
  ['never, now at 12 s', [null, null, null, null], [12e3, 12e3, 12e3, 12e3], 'worse'],
  ['at 12 s, now never', [12e3, 12e3, 12e3, 12e3], [null, null, null, null], 'better'],
  ['later', [1e3, 2e3, 3e3, 4e3], [11e3, 12e3, 13e3, 14e3], 'better'],
  ['never on both sides', [null, null, null, null], [null, null, null, null], 'no-change'],
  ['once in four', [null, null, null, null], [null, null, null, 12e3], 'no-change'],
];
for (const [comment, base, head, verdict] of exhausted) {
  test(`ports exhausted: ${comment} is ${verdict}`, () => {
    const { rows } = compare(withExhaustion(...base), withExhaustion(...head));
    assert.equal(rowOf(rows, 'guarded', 'ports.exhaustedAtMs').verdict, verdict);
  });
}

test('ports that nobody watched were not "never" exhausted', () => {
  const blind = run({
    guarded: (lane) => ({ ...lane, ports: { ...lane.ports, peak: null, exhaustedAtMs: null } }),
  });
  const row = rowOf(compare([blind], [run()]).rows, 'guarded', 'ports.exhaustedAtMs');
  assert.deepEqual([row.base.median, row.verdict], [null, 'no-data']);
});

const limits: [
  comment: string,
  base: Result[],
  head: Result[],
  limit: string,
  verdict: string,
  reason: RegExp,
][] = [
  [
    'within',
    withLatencies(100),
    withLatencies(109),
    `${P99}=10%`,
    'pass',
    /^\+9.0 %, within 10 %; one run a side: no statement about noise$/,
  ],
  ['at the limit', withLatencies(100), withLatencies(110), `${P99}=10%`, 'pass', /within/],
  [
    'one sample a side, beyond',
    withLatencies(100),
    withLatencies(120),
    `${P99}=10%`,
    'fail',
    /^\+20 %, more than the 10 % allowed; one run a side: no statement about noise$/,
  ],
  ['a big improvement', withLatencies(100), withLatencies(1), `${P99}=10%`, 'pass', /not worse/],
  [
    'many samples, beyond and shown',
    withLatencies(1, 2, 3, 4),
    withLatencies(21, 22, 23, 24),
    `${P99}=10%`,
    'fail',
    /^9.0x, more than the 10 % allowed$/,
  ],
  [
    'many samples, beyond but inside the spread',
    withLatencies(1, 5, 9, 13),
    withLatencies(2, 6, 30, 34),
    `${P99}=10%`,
    'pass',
    /no more than chance/,
  ],
  [
    'few samples that overlap',
    withLatencies(1, 9),
    withLatencies(8, 20),
    `${P99}=10%`,
    'pass',
    /no more than chance/,
  ],
  [
    'few samples that do not',
    withLatencies(1, 2),
    withLatencies(8, 20),
    `${P99}=10%`,
    'fail',
    /too few samples/,
  ],
  ['from 0', withPeaks(0), withPeaks(1), 'pollers.peak=1000%', 'fail', /^was 0, more than/],
  ['from 0 to 0', withPeaks(0), withPeaks(0), 'pollers.peak=0%', 'pass', /unchanged/],
  [
    'to 0',
    withPeaks(9),
    withPeaks(0),
    'pollers.peak=0%',
    'pass',
    /^−100 %, not worse; one run a side/,
  ],
  [
    'never exhausted, now at 12 s',
    withExhaustion(null),
    withExhaustion(12e3),
    'ports.exhaustedAtMs=50%',
    'fail',
    /was never/,
  ],
  [
    'exhausted, now never',
    withExhaustion(12e3),
    withExhaustion(null),
    'ports.exhaustedAtMs=50%',
    'pass',
    /now never, not worse/,
  ],
  [
    'exhausted earlier',
    withExhaustion(10e3),
    withExhaustion(4e3),
    'ports.exhaustedAtMs=50%',
    'fail',
    /^−60 %/,
  ],
  ['of one lane only', withPeaks(1), withPeaks(3), 'guarded.pollers.peak=10%', 'fail', /3.0x/],
];
for (const [comment, base, head, limit, verdict, reason] of limits) {
  test(`limit ${limit}, ${comment}: ${verdict}`, () => {
    const got = limited(base, head, limit);
    assert.equal(got.verdict, verdict, got.reason);
    assert.match(got.reason, reason);
  });
}

test('on different machines only counts and ratios within one run are judged', () => {
  // Everything takes twice the time on the second machine, and the guarded lane has 600 pollers.
  const double = (lane: Result['lanes'][number]) => ({
    ...lane,
    init: {
      ...lane.init,
      latencyMs: { p50: 2, p99: 2 * (lane.init.latencyMs.p99 ?? 0), max: 9e3 },
    },
  });
  const base = [1, 2, 3, 4].map(() => run());
  const slow = [1, 2, 3, 4].map(() =>
    elsewhere(
      run({
        unguarded: double,
        guarded: (lane) => ({ ...double(lane), pollers: { ...lane.pollers, peak: 600 } }),
      }),
      { cpus: 4 },
    ),
  );
  const { rows, machineDifferences } = compare(base, slow);
  assert.deepEqual(machineDifferences, ['cpus 2 and 4']);
  assert.equal(rowOf(rows, 'guarded', P99).verdict, 'not-judged');
  assert.equal(rowOf(rows, 'unguarded', P99).verdict, 'not-judged');
  assert.equal(rowOf(rows, 'guarded', 'pollers.peak').verdict, 'worse');
  const ratio = rowOf(rows, 'guarded/unguarded', P99);
  assert.deepEqual([ratio.base.median, ratio.head.median, ratio.verdict], [1, 1, 'no-change']);
  // The limit is held against the ratio: the slow machine is not charged to the change.
  assert.deepEqual(
    compare(base, slow, { limits: parseLimits([`${P99}=10%`]) }).limits.map((limit) => [
      limit.label,
      limit.verdict,
    ]),
    [['guarded/unguarded', 'pass']],
  );
});

test('a limit that cannot be judged on different machines says so', () => {
  const only = (result: Result) => ({ ...result, lanes: result.lanes.slice(0, 1) });
  const base = run({ result: only });
  const head = elsewhere(run({ result: only }), { kernel: '5.0' });
  const { limits: checks } = compare([base], [head], { limits: parseLimits([`${P99}=10%`]) });
  assert.deepEqual(
    checks.map(({ verdict }) => verdict),
    ['not-judged'],
  );
});

for (const change of [
  { kernel: '5.0' },
  { cpus: 1 },
  { memoryBytes: 2 ** 20 },
  { node: 'v22' },
  { hostCpus: 2 },
]) {
  test(`another ${Object.keys(change)} is another machine`, () => {
    const { machineDifferences } = compare([run()], [elsewhere(run(), change)]);
    assert.equal(machineDifferences.length, 1);
  });
}

test('another isolation is another machine, not another scenario', () => {
  const head = run();
  const loopback = { ...head, scenario: { ...head.scenario, isolation: 'loopback' as const } };
  assert.deepEqual(compare([run()], [loopback]).machineDifferences, [
    'isolation netns and loopback',
  ]);
});

const scenarios: [comment: string, change: Partial<Result['scenario']>, says: RegExp][] = [
  ['interval', { intervalMs: 50 }, /intervalMs is 100, but 50 in/],
  ['fault', { fault: 'hang' }, /fault is refused, but hang in/],
  ['guest', { guest: { memoryBytes: null, cpus: 2, portRange: null } }, /guest is/],
  ['long texts', { fault: `${'x'.repeat(3000)}` }, /fault is refused, but x+… in/],
];
for (const [comment, change, says] of scenarios) {
  test(`another scenario is refused, naming the field: ${comment}`, () => {
    const head = run({
      result: (result) => ({ ...result, scenario: { ...result.scenario, ...change } }),
    });
    assert.match(assertUsageError(() => compare([run()], [head])).message, says);
    // Among the repeats of one side too.
    assertUsageError(() => compare([run(), head], [run()]));
    const { warnings } = compare([run()], [head], { force: true });
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', says);
  });
}

test('texts that differ behind what is shown of them differ all the same', () => {
  const named = (fault: string) =>
    run({ result: (result) => ({ ...result, scenario: { ...result.scenario, fault } }) });
  const long = 'x'.repeat(500);
  assertUsageError(() => compare([named(`${long}a`)], [named(`${long}b`)]));
});

test('a partial result is refused', () => {
  const half = run({ result: (result) => ({ ...result, complete: false }) });
  assert.match(assertUsageError(() => compare([run()], [half])).message, /partial/);
  assert.equal(compare([run()], [half], { force: true }).warnings.length, 1);
});

test('lanes are paired by name; one that only one side has is left out, visibly', () => {
  const renamed = run({ guarded: (lane) => ({ ...lane, agent: 'other' }) });
  const { rows, warnings } = compare([run()], [renamed]);
  assert.deepEqual([...new Set(rows.map(({ label }) => label))], ['unguarded']);
  assert.deepEqual(
    warnings.map((text) => /the lane (\w+)/.exec(text)?.[1]),
    ['guarded', 'other'],
  );
  const strange = run({
    unguarded: (lane) => ({ ...lane, agent: 'a\u001B[31m'.repeat(200) }),
    guarded: (lane) => ({ ...lane, agent: 'b' }),
  });
  assert.match(assertUsageError(() => compare([run()], [strange])).message, /no lane is in both/);
});

test('two lanes of the same runs can be compared', () => {
  const results = [1, 2, 3, 4].map(() => run());
  const lanes = { base: 'unguarded', head: 'guarded' };
  const { rows } = compare(results, results, { lanes });
  const row = rowOf(rows, 'unguarded → guarded', 'pollers.peak');
  assert.deepEqual([row.base.median, row.head.median, row.verdict], [600, 1, 'better']);
  assert.match(
    assertUsageError(() => compare(results, results, { lanes: { base: 'no', head: 'guarded' } }))
      .message,
    /the base has no lane "no".*unguarded, guarded/,
  );
});

test('a lane in trouble on either side, in any repeat, decides nothing', () => {
  const broken = run({ guarded: (lane) => ({ ...lane, trouble: 'exited 7 at 3.0 s' }) });
  const well = withPeaks(1, 1, 1, 1);
  const limit = parseLimits(['guarded.pollers.peak=10%']);
  for (const [base, head] of [
    [well, [...well, broken]],
    [[...well, broken], well],
    [[run()], [broken]],
  ] as const) {
    const comparison = compare([...base], [...head], { limits: limit });
    const of = (label: string) => comparison.rows.filter((row) => row.label === label);
    assert.deepEqual([...new Set(of('guarded').map(({ verdict }) => verdict))], ['void']);
    // The other lane went well, and is compared.
    assert.ok(of('unguarded').every(({ verdict }) => verdict !== 'void'));
    assert.ok(isAnythingCompared(comparison));
    assert.deepEqual(
      comparison.limits.map(({ verdict, reason }) => [verdict, /^no verdict/.test(reason)]),
      [['fail', true]],
    );
  }
  // A ratio to the first lane is as void as the first lane.
  const first = run({ unguarded: (lane) => ({ ...lane, trouble: 'gone' }) });
  const { rows } = compare([first], [elsewhere(run(), { cpus: 64 })]);
  assert.equal(rowOf(rows, 'guarded/unguarded', P99).verdict, 'void');
});

test('of interrupted runs nothing is compared', () => {
  const half = run({ result: (result) => ({ ...result, complete: false }) });
  const limit = parseLimits(['guarded.pollers.peak=10%']);
  const comparison = compare([run()], [half], { force: true, limits: limit });
  assert.ok(!isAnythingCompared(comparison));
  assert.deepEqual(
    comparison.limits.map(({ verdict }) => verdict),
    ['fail'],
  );
});

test('a request without an answer is no fast one', () => {
  // Of 600 as many as given are lost; the others are as fast as before, or faster.
  const losing = (lost: number, p99 = 1) =>
    run({
      guarded: (lane) => ({
        ...lane,
        init: {
          ...lane.init,
          answered: 600 - lost,
          timedOut: lost,
          latencyMs: { ...lane.init.latencyMs, p99 },
        },
      }),
    });
  const all = losing(0, 54);
  const head = (of: Result, metric: string) =>
    rowOf(compare([all], [of]).rows, 'guarded', metric).head.median;
  // The sixth slowest of 600 is p99.
  assert.equal(head(losing(7), P99), Number.POSITIVE_INFINITY);
  assert.equal(head(losing(301), 'init.latencyMs.p50'), Number.POSITIVE_INFINITY);
  assert.equal(head(losing(1), 'init.latencyMs.max'), Number.POSITIVE_INFINITY);
  // Few lost ones move the place: with 6 lost the slowest answer is p99 of all.
  assert.ok(Math.abs((head(losing(6), P99) ?? 0) - 54) < 0.1);
  assert.deepEqual(
    [limited([all], [losing(7)], `${P99}=10%`), limited([losing(7)], [all], `${P99}=10%`)].map(
      ({ verdict, reason }) => [verdict, reason.split(',')[0]],
    ),
    [
      ['fail', 'now no answer'],
      ['pass', 'was no answer'],
    ],
  );
});

test('a lane in trouble is a warning', () => {
  const broken = run({ guarded: (lane) => ({ ...lane, trouble: 'exited 7 at 3.0 s' }) });
  assert.match(compare([run()], [broken]).warnings.join(), /trouble in guarded .*exited 7/);
});

test('an overloaded lane, and pollers known in another way, are warnings', () => {
  const overloaded = run({ guarded: (lane) => ({ ...lane, overload: ['driver', 'agent'] }) });
  assert.match(
    compare([run()], [overloaded]).warnings.join(),
    /^guarded \(head, .*\) was overloaded \(driver, agent\)/,
  );
  const estimated = run({
    guarded: (lane) => ({ ...lane, pollers: { ...lane.pollers, source: 'kernel' } }),
  });
  assert.match(
    compare([run()], [estimated]).warnings.join(),
    /the pollers of guarded are known from agent in base, from kernel in head/,
  );
  assert.deepEqual(compare([run()], [run()]).warnings, []);
});

const malformed: [comment: string, text: string, says: RegExp][] = [
  ['nothing', '', /no metric and percentage/],
  ['no percentage', P99, /no metric and percentage/],
  ['a bare number', `${P99}=10`, /no metric and percentage/],
  ['a negative', `${P99}=-10%`, /no metric and percentage/],
  ['no metric', '=10%', /no metric and percentage/],
  [
    'an unknown metric',
    'init.latencyMs.p98=10%',
    /not compared.*Did you mean init.latencyMs.p99\?/,
  ],
  ['no direction', 'pollers.spawned=10%', /neither more nor less is worse/],
  ['longer than anybody types', `${'x'.repeat(9999)}=10%`, /no metric and percentage/],
];
for (const [comment, text, says] of malformed) {
  test(`no limit: ${comment}`, () => {
    assert.match(assertUsageError(() => parseLimits([text])).message, says);
  });
}

test('a limit on a lane that is not compared is refused', () => {
  const limits = parseLimits(['gaurded.pollers.peak=10%']);
  assert.match(assertUsageError(() => compare([run()], [run()], { limits })).message, /no lane/);
});
