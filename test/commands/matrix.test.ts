import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refuseOtherFlags } from '../../src/commands/matrix.js';
import type { Matrix } from '../../src/results/matrix.js';
import { assertUsageError } from '../base/usage-error.js';

const options: Matrix['options'] = {
  faults: ['refused', 'hang'],
  retries: ['fixed'],
  pollers: ['envd'],
  scenario: { outage: '5s', interval: ['100ms'], guestMemory: '1GiB', bootPoller: false },
};
const saved = { options, isolation: 'netns' as const };

/** Resumes with these options, of which the named flags were typed. */
function resume(asked: Partial<Matrix['options']>, typed: string[], isolation = 'auto') {
  const origins = Object.fromEntries([
    ['retry', { setFromDefault: true }],
    ...typed.map((name) => [name, {}]),
  ]);
  refuseOtherFlags(saved, { ...options, ...asked }, isolation, origins);
}

const scenario = (change: object) => ({ scenario: { ...options.scenario, ...change } });
const others: [flag: string, asked: Partial<Matrix['options']>, isolation?: string][] = [
  ['outage', scenario({ outage: '60s' })],
  ['interval', scenario({ interval: ['50ms'] })],
  ['guest-memory', scenario({ guestMemory: 'host' })],
  ['boot-poller', scenario({ bootPoller: true })],
  ['fault', { faults: ['hang'] }],
  ['retry', { retries: ['orchestrator'] }],
  ['poller', { pollers: ['issue', 'envd'] }],
  ['isolation', {}, 'loopback'],
];
for (const [flag, asked, isolation] of others) {
  test(`--resume refuses another --${flag} than the matrix has`, () => {
    const { message } = assertUsageError(() => resume(asked, [flag], isolation));
    assert.match(message, new RegExp(`--${flag} .* is not what the matrix has`));
    // What was not typed is a default, and says nothing.
    if (flag !== 'isolation') resume(asked, []);
  });
}

test('--resume takes what the matrix has, and what says how it is shown', () => {
  resume({}, ['outage', 'fault', 'isolation', 'resume', 'out', 'format', 'json'], 'netns');
});
