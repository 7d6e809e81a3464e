import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { simulate } from '../../src/model/simulation.js';
import { fraction, together } from '../../src/planning/fleet.js';
import { schedule, usualSandbox } from '../model/sandbox.js';

const storm = simulate({ ...usualSandbox, outageMs: 5000 });

test('all at once, a fleet is as many times a sandbox', () => {
  const { host, fleet } = together(storm, {
    sandboxesPerHost: 200,
    hosts: 50,
    staggerMs: 0,
    seed: 1,
  });
  assert.equal(host.pollersPeak, 50 * 200);
  assert.equal(fleet.connectionsPerSecondPeak, storm.connections.perSecondPeak * 10_000);
});

test('staggered, the fleet is what adding up its sandboxes one by one gives', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 200 }),
      fc.nat(1000),
      (sandboxesPerHost, hosts, staggerSlots, seed) => {
        const { series } = storm;
        const sum = new Map<number, number>();
        for (let h = 0; h < hosts; h++) {
          for (let i = 0; i < sandboxesPerHost; i++) {
            const slot = Math.floor(fraction(seed, h, i) * staggerSlots);
            series.pollersMost.forEach((pollers, step) => {
              sum.set(slot + step, (sum.get(slot + step) ?? 0) + pollers);
            });
          }
        }
        const staggerMs = staggerSlots * 100;
        const { host, fleet } = together(storm, { sandboxesPerHost, hosts, staggerMs, seed });
        assert.equal(fleet.pollersPeak, Math.max(...sum.values()));
        assert.ok(host.pollersPeak <= fleet.pollersPeak);
        assert.ok(fleet.pollersPeak <= storm.pollers.peak * hosts * sandboxesPerHost);
      },
    ),
  );
});

test('a sandbox more never makes a host’s peak smaller', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), fc.nat(1000), (sandboxesPerHost, seed) => {
      const shape = { hosts: 3, staggerMs: 4000, seed };
      const fewer = together(storm, { ...shape, sandboxesPerHost }).host;
      const more = together(storm, { ...shape, sandboxesPerHost: sandboxesPerHost + 1 }).host;
      assert.ok(more.pollersPeak >= fewer.pollersPeak);
      assert.ok(more.connectionsPerSecondPeak >= fewer.connectionsPerSecondPeak);
    }),
  );
});

test('a stagger far longer than the outage stays bounded', () => {
  const day = 24 * 3600e3;
  const faults = schedule('none');
  const short = simulate({ ...usualSandbox, faults, outageMs: 1000 });
  const { fleet } = together(short, { sandboxesPerHost: 10, hosts: 10, staggerMs: day, seed: 7 });
  assert.ok(fleet.pollersPeak >= 1 && fleet.pollersPeak <= 100);
});
