import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseScenarios } from '../../src/experiment/scenario.js';
import type { ScenarioText } from '../../src/experiment/scenario-text.js';
import { assertUsageError } from '../base/usage-error.js';

const usual: ScenarioText = {
  interval: ['100ms'],
  outage: '60s',
  fault: 'refused',
  retry: 'fixed',
  retryPause: '5ms',
  retryBudget: '10s',
  poller: 'issue',
  auth: 'stored',
  bootPoller: false,
  agent: ['unguarded'],
  mmdsClose: 'auto',
  mmdsVersion: 'V2',
  guestMemory: '1GiB',
  guestCpus: '2',
  headroom: false,
  sequential: false,
  repeat: '1',
  pollFunction: 'PollForMMDSOpts',
  stackDump: 'on',
};

test('an init timeout is what is waited: whole ms, or refused', () => {
  const timeoutOf = (initTimeout: string | undefined, retry = 'fixed') =>
    parseScenarios({ ...usual, retry, initTimeout })[0]?.record.initTimeoutMs;
  assert.equal(timeoutOf(undefined), 10_000);
  assert.equal(timeoutOf(undefined, 'orchestrator'), 50);
  assert.equal(timeoutOf('1.5s'), 1500);
  assert.equal(timeoutOf('2000us'), 2);
  for (const text of ['250us', '1.5ms', '1ms1us']) {
    assert.match(assertUsageError(() => timeoutOf(text)).message, /--init-timeout .* whole ms/);
  }
  // An empty variable of a script is no wish for the default.
  for (const text of ['', ' ']) {
    assert.match(assertUsageError(() => timeoutOf(text)).message, /--init-timeout is empty/);
  }
});
