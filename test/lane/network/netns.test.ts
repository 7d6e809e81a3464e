import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { portCapacity } from '../../../src/lane/network/netns.js';
import { readProc } from '../../../src/observe/proc/counters.js';

const table: [comment: string, range: string, reserved: string, ports: number | null][] = [
  ['the kernel’s default', '32768\t60999\n', '\n', 28_232],
  ['one port', '40000\t40000', '', 1],
  ['a reserved port', '40000 40999', '40500', 999],
  ['a reserved range, both ends included', '40000 40999', '40000-40009', 990],
  ['several', '40000 40999', '8080,40000-40009,40500,50000-50100\n', 989],
  ['a reserved range that overlaps the low end', '40000 40999', '39000-40009', 990],
  ['a reserved range that overlaps the high end', '40000 40999', '40990-65535', 990],
  ['all reserved', '40000 40999', '1-65535', 0],
  ['reserved elsewhere', '40000 40999', '1-39999,41000-65535', 1_000],
  ['no file', '', '', null],
  ['half a file', '32768', '', null],
  ['no numbers', 'a b', '', null],
  ['the wrong way round', '60999 32768', '', null],
  ['reserved ports that cannot be read', '40000 40999', 'x,y-z,-,40000', 999],
];
for (const [comment, range, reserved, ports] of table) {
  test(`port capacity: ${comment}`, () => assert.equal(portCapacity(range, reserved), ports));
}

test('port capacity is what is left when every reserved port is struck off', () => {
  const port = fc.integer({ min: 1_024, max: 1_324 });
  // The kernel prints its bitmap: ranges that rise and never touch.
  const reservedPorts = fc.uniqueArray(port, { maxLength: 40 });
  fc.assert(
    fc.property(port, fc.nat(200), reservedPorts, (low, span, reserved) => {
      const high = low + span;
      const struck = new Set(reserved);
      const left = Array.from({ length: span + 1 }, (_, i) => low + i).filter(
        (p) => !struck.has(p),
      );
      assert.equal(portCapacity(`${low}\t${high}\n`, printed(reserved)), left.length);
    }),
  );
});

/** Ports as the kernel prints them. */
function printed(ports: readonly number[]): string {
  const ranges: [from: number, to: number][] = [];
  for (const port of ports.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && last[1] === port - 1) last[1] = port;
    else ranges.push([port, port]);
  }
  return `${ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',')}\n`;
}

test('port capacity is a count or null, whatever the files say', () => {
  const text = fc.oneof(
    fc.string(),
    fc
      .array(fc.constantFrom('1', '9', '-', ',', ' ', '\t', 'x', '\n'))
      .map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(text, text, (range, reserved) => {
      const ports = portCapacity(range, reserved);
      assert.ok(ports === null || (Number.isFinite(ports) && ports >= 0), `${ports}`);
    }),
    { numRuns: 1_000 },
  );
});

test('port capacity of this machine can be read', () => {
  const sys = '/proc/sys/net/ipv4';
  const ports = portCapacity(
    readProc(`${sys}/ip_local_port_range`) ?? '',
    readProc(`${sys}/ip_local_reserved_ports`) ?? '',
  );
  assert.ok(ports !== null && ports > 0 && ports < 65_536);
});
