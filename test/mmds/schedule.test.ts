import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { UsageError } from '../../src/base/errors.js';
import { faultUsage, formatFault, parseFault, phasesOf } from '../../src/mmds/fault-spec.js';
import { faults } from '../../src/mmds/faults/index.js';
import { formatFaultSchedule, parseFaultSchedule } from '../../src/mmds/schedule.js';

const parse = (text: string) => parseFaultSchedule(text, '--fault');

test('schedules that are read', () => {
  assert.deepEqual(parse('refused'), [{ atMs: 0, fault: { name: 'refused', parameters: {} } }]);
  assert.deepEqual(parse('slow:1.5s@0'), [
    { atMs: 0, fault: { name: 'slow', parameters: { delayMs: 1500 } } },
  ]);
  assert.deepEqual(
    parse('refused@0s, hijack@20s,none@1m30s').map((step) => step.atMs),
    [0, 20_000, 90_000],
  );
  assert.deepEqual(
    parse('refused,none@100ms').map((step) => step.fault.name),
    ['refused', 'none'],
  );
  assert.deepEqual(parse('flap:2s')[0]?.fault.parameters, { downMs: 2000, upMs: 1000 });
  assert.deepEqual(parse('flap:2s/300ms')[0]?.fault.parameters, { downMs: 2000, upMs: 300 });
  assert.deepEqual(parse('http-error:404')[0]?.fault.parameters, { status: 404 });
});

test('schedules that are refused, in one line with the mend', () => {
  const rows: [text: string, message: RegExp][] = [
    ['', /is empty/],
    ['refusd', /unknown fault "refusd".*Did you mean refused\?/],
    ['refused@0s,hijak@3s', /Did you mean hijack\?/],
    ['refused@10s', /must begin at 0/],
    ['refused@0s,none', /does not say when "none" begins/],
    ['refused@0s,none@0s', /goes back in time/],
    ['refused@0s,hijack@20s,none@10s', /goes back in time: "none@10s" does not come after 20s/],
    ['refused@0s,none@5', /no unit/],
    ['refused@0s,none@-5s', /more than 0/],
    ['refused@', /empty/],
    ['refused,,none@3s', /empty step/],
    ['refused:3s', /takes no parameters. Give it as --fault refused/],
    ['slow:0s', /more than 0/],
    ['slow:5', /no unit.*Give it as --fault slow:2s/],
    ['slow:2h', /1ms to 1h, not "2h"/],
    ['slow:2s/3s', /at most 1/],
    ['slow:', /is empty/],
    ['flap:1ms', /10ms to 1h/],
    ['http-error:200', /400 to 599/],
    ['http-error:abc', /400 to 599, not "abc"/],
    [Array(200).fill('none').join(','), /more than 100 steps/],
  ];
  for (const [text, message] of rows) {
    assert.throws(
      () => parse(text),
      (thrown) => {
        assert.ok(thrown instanceof UsageError, text);
        assert.match(thrown.message, message);
        assert.doesNotMatch(thrown.message, /\n/);
        return true;
      },
    );
  }
});

test('any text is read or refused with a UsageError, and is read back the same', () => {
  const pieces = fc.constantFrom(
    ...faults.keys(),
    ':',
    '@',
    ',',
    '/',
    '5s',
    '0s',
    '1h',
    '503',
    '-',
    ' ',
    'x',
  );
  const text = fc.oneof(
    fc.string({ maxLength: 200 }),
    fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join('')),
    fc
      .array(fc.constantFrom(...faults.keys()), { minLength: 1, maxLength: 5 })
      .map((names) => names.map((name, index) => `${name}@${index}s`).join(',')),
  );
  fc.assert(
    fc.property(text, (typed) => {
      try {
        const steps = parse(typed);
        assert.equal(steps[0]?.atMs, 0);
        assert.deepEqual(parse(formatFaultSchedule(steps)), steps);
      } catch (thrown) {
        if (!(thrown instanceof UsageError)) throw thrown;
      }
    }),
    { numRuns: 500 },
  );
});

test('every fault says what it is, and its usage is read back', () => {
  const names = [...faults.keys()];
  assert.deepEqual(names, [
    'none',
    'refused',
    'blackhole',
    'hang',
    'reset',
    'slow',
    'http-error',
    'hijack',
    'empty-token',
    'null',
    'overload',
    'flap',
  ]);
  for (const fault of faults.values()) {
    assert.ok(fault.summary.length > 10 && fault.cause.length > 10, fault.name);
    const spec = parseFault(faultUsage(fault), '--fault');
    assert.equal(spec.name, fault.name);
    assert.equal(formatFault(spec), faultUsage(fault));
    assert.ok(phasesOf(spec, 'netns').length > 0);
  }
  assert.throws(
    () => phasesOf({ name: 'blackhole', parameters: {} }, 'loopback'),
    /does not work on loopback/,
  );
  assert.throws(
    () => phasesOf({ name: 'slow', parameters: { delay: 1 } }, 'netns'),
    /no parameter "delay"/,
  );
  assert.throws(
    () => phasesOf({ name: 'slow', parameters: { delayMs: Number.NaN } }, 'netns'),
    UsageError,
  );
});
