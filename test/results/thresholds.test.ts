import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { UsageError } from '../../src/base/errors.js';
import { LANE_FIELDS, RESULT_FIELDS } from '../../src/results/fields.js';
import type { Result } from '../../src/results/schema.js';
import {
  checkThresholds,
  parseThreshold,
  parseThresholds,
  requireFields,
  withChecks,
} from '../../src/results/thresholds.js';
import { assertUsageError } from '../base/usage-error.js';
import { storm, unmeasured } from '../fixtures/results.js';

function check(result: Result, text: string) {
  const [only] = checkThresholds(result, [parseThreshold(text)]);
  assert.ok(only);
  return only;
}

// What the fixture measured: unguarded 600 pollers, guarded 1; 28,232 ports.
const judged: [comment: string, text: string, verdict: 'pass' | 'fail', measured: number | null][] =
  [
    ['a count at its limit', 'guarded.pollers.peak<=1', 'pass', 1],
    ['blanks around the operator', ' guarded.pollers.peak <= 1 ', 'pass', 1],
    ['the same on the other lane', 'unguarded.pollers.peak<=1', 'fail', 600],
    ['less', 'guarded.pollers.peak<1', 'fail', 1],
    ['at least', 'unguarded.pollers.peak>=600', 'pass', 600],
    ['more', 'unguarded.pollers.peak>600', 'fail', 600],
    ['equal', 'guarded.pollers.peak==1', 'pass', 1],
    ['not equal', 'guarded.pollers.peak!=1', 'fail', 1],
    ['a fraction', 'guarded.pollers.peak<1.5', 'pass', 1],
    ['a duration in a field of ms', 'guarded.setupMs<0.5s', 'pass', 210],
    ['a bare number in a field of ms is in ms', 'guarded.setupMs<209', 'fail', 210],
    ['several parts', 'scenario.outageMs==1m', 'pass', 60_000],
    ['a duration of nothing', 'guarded.setupMs>0ms', 'pass', 210],
    ['a duration in a field of seconds', 'unguarded.process.cpuSeconds<=42060ms', 'pass', 42.06],
    ['a size', 'unguarded.process.rssPeakBytes<=135MiB', 'pass', 141_557_760],
    ['percent of the capacity', 'unguarded.ports.peak<50%', 'pass', 612],
    ['percent of the capacity, exceeded', 'unguarded.ports.peak<2%', 'fail', 612],
    ['a field outside the lanes', 'machine.cpus>=2', 'pass', 2],
    ['a status among the answers', 'guarded.init.statuses.204==600', 'pass', 600],
    ['a status that nobody saw', 'guarded.init.statuses.500==0', 'pass', 0],
    ['never exhausted is no number', 'guarded.ports.exhaustedAtMs>1s', 'fail', null],
  ];
for (const [comment, text, verdict, measured] of judged) {
  test(`threshold ${comment}: ${text}`, () => {
    const got = check(storm(), text);
    assert.equal(got.verdict, verdict, got.reason);
    assert.equal(got.measured, measured);
    assert.equal(got.expression, text.trim());
  });
}

test('what was not measured fails, whatever is compared', () => {
  for (const operator of ['<=', '<', '>=', '>', '==', '!=']) {
    for (const field of ['pollers.peak', 'init.latencyMs.p99', 'init.statuses.204']) {
      const got = check(unmeasured(), `broken.${field}${operator}0`);
      assert.deepEqual([got.verdict, got.measured, got.reason], ['fail', null, 'no data']);
    }
  }
  assert.equal(check(unmeasured(), 'broken.ports.peak<50%').reason, 'no data');
});

test('the reason of a check is readable', () => {
  assert.equal(check(storm(), 'guarded.pollers.peak<=1').reason, '1 <= 1');
  assert.equal(check(storm(), 'unguarded.pollers.peak<=1').reason, '600 is not <= 1');
  assert.equal(check(storm(), 'unguarded.ports.peak<50%').reason, '612 < 14116 (50 % of 28232)');
});

const malformed: [comment: string, text: string, says: RegExp][] = [
  ['nothing', '', /empty/],
  ['blanks', '  ', /empty/],
  ['no operator', 'guarded.pollers.peak', /compares nothing/],
  ['one equals sign', 'guarded.pollers.peak=1', /"=" is no comparison/],
  ['an operator the wrong way round', 'guarded.pollers.peak=<1', /"=<" is no comparison/],
  ['two operators', '0<guarded.pollers.peak<1', /compares nothing/],
  ['no field', '<=1', /names no field/],
  ['no value', 'guarded.pollers.peak<=', /no number/],
  ['a word for a value', 'guarded.pollers.peak<=many', /no number/],
  ['NaN', 'guarded.pollers.peak<=NaN', /no number/],
  ['a negative', 'guarded.pollers.peak>=-1', /no number/],
  ['grouped digits', 'guarded.pollers.peak<=1,000', /"1,000" is not a size/],
  ['an unknown unit', 'guarded.setupMs<=1parsec', /unknown unit/],
  ['an unknown unit of nothing', 'guarded.setupMs<=0parsec', /unknown unit/],
  ['longer than anybody types', `${'x'.repeat(600)}<1`, /too long/],
  ['a line break', 'guarded\n.pollers.peak', /compares nothing/],
];
for (const [comment, text, says] of malformed) {
  test(`no threshold: ${comment}`, () => {
    assert.match(assertUsageError(() => parseThreshold(text)).message, says);
  });
}

const unfit: [comment: string, text: string, says: RegExp][] = [
  [
    'a field that does not exist',
    'guarded.pollers.peek<=1',
    /no number "pollers.peek".*Did you mean guarded.pollers.peak\?/,
  ],
  [
    'a lane that does not exist',
    'gaurded.pollers.peak<=1',
    /begins with no lane.*Did you mean guarded.pollers.peak\?/,
  ],
  ['a lane alone', 'guarded<=1', /begins with no lane/],
  ['an object', 'guarded.pollers<=1', /no number "pollers"/],
  ['a text', 'guarded.version<=1', /no number "version"/],
  ['a list', 'guarded.series.tMs<=1', /no number/],
  ['a list of lanes', 'lanes.0.pollers.peak<=1', /begins with no lane/],
  ['true or false', 'complete==1', /begins with no lane/],
  ['what every object has', 'guarded.constructor.length<=1', /no number/],
  ['what every object has, once more', 'guarded.__proto__.x<=1', /no number/],
  ['a key too long for a status', 'guarded.init.statuses.123456789==0', /no number/],
  ['a duration for a count', 'guarded.pollers.peak<=1ms', /no duration.*plain number/],
  ['a size for a duration', 'guarded.setupMs<=1MiB', /no size.*duration/],
  ['a duration for a size', 'guarded.process.rssPeakBytes<=1s', /no duration.*size/],
  ['percent of nothing', 'guarded.pollers.peak<=1%', /part of anything/],
];
for (const [comment, text, says] of unfit) {
  test(`no field for a threshold: ${comment}`, () => {
    const threshold = parseThreshold(text);
    const names = ['unguarded', 'guarded'];
    assert.match(assertUsageError(() => requireFields([threshold], names)).message, says);
    assert.throws(() => checkThresholds(storm(), [threshold]), UsageError);
  });
}

test('names of lanes may contain dots and dashes: the longest that leaves a field is meant', () => {
  const names = ['envd', 'envd.0-6', 'envd.0-6.init', 'scenario'];
  const [lane] = storm().lanes;
  assert.ok(lane);
  const result: Result = {
    ...storm(),
    lanes: names.map((agent, i) => ({
      ...lane,
      agent,
      pollers: { ...lane.pollers, peak: i },
      init: { ...lane.init, sent: 10 + i },
    })),
  };
  assert.equal(check(result, 'envd.pollers.peak==0').measured, 0);
  assert.equal(check(result, 'envd.0-6.pollers.peak==1').measured, 1);
  assert.equal(check(result, 'envd.0-6.init.pollers.peak==2').measured, 2);
  // `envd.0-6.init` has no number `sent`; `envd.0-6` has `init.sent`.
  assert.equal(check(result, 'envd.0-6.init.sent==11').measured, 11);
  assert.equal(check(result, 'scenario.pollers.peak==3').measured, 3);
  assert.equal(check(result, 'scenario.intervalMs==100').measured, 100);
});

test('no figure of a lane in trouble, or of an interrupted run, passes', () => {
  const whole = storm();
  const troubled: Result = {
    ...whole,
    lanes: whole.lanes.map((lane) => ({ ...lane, trouble: 'exited 7 at 3.0 s' })),
  };
  for (const [result, says] of [
    [troubled, /^no verdict: the lane had trouble: exited 7/],
    [{ ...whole, complete: false }, /^no verdict: the run was interrupted/],
  ] as const) {
    const { verdict, reason } = check(result, 'guarded.pollers.peak<=1');
    assert.equal(verdict, 'fail');
    assert.match(reason, says);
    // What was asked for holds however the run went.
    assert.equal(check(result, 'scenario.intervalMs==100').verdict, 'pass');
  }
});

test('a latency is that of all requests, those without an answer included', () => {
  const whole = storm();
  const lost: Result = {
    ...whole,
    lanes: whole.lanes.map((lane) => ({
      ...lane,
      health: { ...lane.health, answered: 500, timedOut: 60, failed: 40 },
    })),
  };
  const row = check(lost, 'guarded.health.latencyMs.p99<10s');
  assert.deepEqual([row.verdict, row.measured], ['fail', null]);
  assert.match(row.reason, /^no answer is not < 10000$/);
  assert.equal(check(lost, 'guarded.health.latencyMs.p99>10s').verdict, 'pass');
  assert.equal(check(whole, 'guarded.health.latencyMs.p99<10s').verdict, 'pass');
});

test('an error stays one line whatever the lanes are called', () => {
  const names = Array.from({ length: 64 }, (_, i) => `${i}\n\u001B[31m`.repeat(1000));
  assertUsageError(() => requireFields([parseThreshold('x.y<1')], names));
});

test('every number of the schema can be checked, and nothing else is called one', () => {
  assert.ok(LANE_FIELDS.includes('pollers.peak') && LANE_FIELDS.includes('agentCount.attempts'));
  assert.ok(RESULT_FIELDS.includes('machine.memoryBytes'));
  for (const field of LANE_FIELDS) requireFields([parseThreshold(`a.${field}<1`)], ['a']);
  for (const field of RESULT_FIELDS) requireFields([parseThreshold(`${field}<1`)], []);
});

test('more thresholds than a result holds are refused', () => {
  assertUsageError(() => parseThresholds(Array<string>(257).fill('a.init.sent>0')));
});

test('parseThreshold never throws anything but a UsageError of one line', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.stringMatching(/^[a-z.-]{0,9}[<>=!]{0,3}[\d.]{0,5}(ms|MiB|%|s)?$/),
  );
  fc.assert(
    fc.property(text, (typed) => {
      try {
        const { limit, expression } = parseThreshold(typed);
        assert.ok(limit >= 0 && Number.isFinite(limit));
        assert.equal(expression, typed.trim());
      } catch (thrown) {
        if (!(thrown instanceof UsageError)) throw thrown;
        assertUsageError(() => parseThreshold(typed));
      }
    }),
  );
});

test('pass and fail are as JavaScript compares', () => {
  const operators = ['<=', '<', '>=', '>', '==', '!='] as const;
  fc.assert(
    fc.property(fc.constantFrom(...operators), fc.nat(1200), (operator, limit) => {
      const expected = {
        '<=': 600 <= limit,
        '<': 600 < limit,
        '>=': 600 >= limit,
        '>': 600 > limit,
        '==': limit === 600,
        '!=': limit !== 600,
      }[operator];
      const { verdict } = check(storm(), `unguarded.pollers.peak${operator}${limit}`);
      assert.equal(verdict === 'pass', expected);
    }),
  );
});

test('checks are added to those of the run, and the same one is judged anew', () => {
  const first = withChecks(
    { ...storm(), checks: [] },
    parseThresholds(['guarded.pollers.peak<=1', 'guarded.init.sent>0']),
  );
  const stale = first.checks.map((one) => ({ ...one, verdict: 'fail' as const }));
  const again = parseThresholds(['unguarded.pollers.peak<=1', 'guarded.pollers.peak<=1']);
  assert.deepEqual(
    withChecks({ ...first, checks: stale }, again).checks.map(({ expression, verdict }) => [
      expression,
      verdict,
    ]),
    [
      ['guarded.init.sent>0', 'fail'],
      ['unguarded.pollers.peak<=1', 'fail'],
      ['guarded.pollers.peak<=1', 'pass'],
    ],
  );
});
