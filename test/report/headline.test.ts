import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scenarioPhrases } from '../../src/report/headline.js';
import { storm } from '../fixtures/results.js';

test('the limits of the guest are named only where they hold', () => {
  const { scenario } = storm();
  const phrase = (change: object) =>
    scenarioPhrases({ ...scenario, ...change }).find((text) => text.startsWith('guest'));
  assert.equal(phrase({}), 'guest 1 GiB, 2 CPUs, ports 32768-60999');
  // On loopback there is no namespace with a table of TIME_WAIT and a range of ports of its own.
  assert.equal(
    phrase({ isolation: 'loopback' }),
    "guest 2 CPUs, memory and ports: this machine's own (loopback)",
  );
});
