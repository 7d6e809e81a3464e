import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseScenarios } from '../../src/verify/choose.js';
import { scenarios } from '../../src/verify/scenarios/index.js';
import { assertUsageError } from '../base/usage-error.js';

function names(only: string[], skip: string[] = []): string[] {
  return chooseScenarios(only, skip).map(({ name }) => name);
}

test('all twelve, in the order of the index', () => {
  assert.deepEqual(names([]), [...scenarios.keys()]);
  assert.equal(scenarios.size, 12);
});

test('--only and --skip take lists and repeats, and keep the order', () => {
  assert.deepEqual(names(['version,delivers', 'at-most-one']), [
    'at-most-one',
    'delivers',
    'version',
  ]);
  assert.deepEqual(names(['delivers, version'], ['version']), ['delivers']);
  assert.equal(names([], ['control-plane']).includes('control-plane'), false);
});

test('an unknown scenario names the nearest; nothing left is said', () => {
  assert.match(assertUsageError(() => names(['late-redy'])).message, /Did you mean late-ready\?/);
  assert.match(assertUsageError(() => names([], ['x'])).message, /unknown scenario "x"/);
  assert.match(assertUsageError(() => names([''])).message, /unknown scenario ""/);
  assert.match(assertUsageError(() => names(['version'], ['version'])).message, /no scenario/);
});
