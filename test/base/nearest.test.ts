import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { lookUp, nearest } from '../../src/base/nearest.js';
import { assertUsageError } from './usage-error.js';

const names = ['unguarded', 'guarded', 'guarded-pr', 'guarded-rearm'];
const registry = new Map(names.map((name, i) => [name, i]));

const guesses: [typed: string, guess: string | undefined][] = [
  ['gaurded', 'guarded'],
  ['GUARDED', 'guarded'],
  ['unguard', 'unguarded'],
  ['guarded-rearn', 'guarded-rearm'],
  ['zzzzzzzzzzzzzzz', undefined],
  ['', undefined],
];
for (const [typed, guess] of guesses) {
  test(`nearest: ${JSON.stringify(typed)} may mean ${guess}`, () => {
    assert.equal(nearest(typed, names), guess);
  });
}

test('nearest of no names is none', () => assert.equal(nearest('x', []), undefined));

test('lookUp finds every name', () => {
  for (const [i, name] of names.entries()) assert.equal(lookUp('agent', name, registry), i);
});

test('lookUp names the nearest and all known names', () => {
  const { message } = assertUsageError(() => lookUp('agent', 'gaurded', registry));
  assert.equal(
    message,
    `unknown agent "gaurded". Did you mean guarded? Known: ${names.join(', ')}`,
  );
});

test('lookUp finds no name that every object has', () => {
  for (const typed of ['constructor', '__proto__', 'toString']) {
    assertUsageError(() => lookUp('agent', typed, registry));
  }
});

test('lookUp never throws anything but a UsageError of one short line', () => {
  const long = fc.string({ unit: 'binary', maxLength: 100_000, size: 'max' });
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), long), (typed) => {
      fc.pre(!registry.has(typed));
      assertUsageError(() => lookUp('agent', typed, registry));
    }),
  );
});
