import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { countSockets, TCP_STATE } from '../../../src/observe/proc/sockets.js';

const HEADER =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode';
const MMDS = { host: '169.254.169.254', port: 80 };

interface Socket {
  local: [address: number[], port: number];
  remote: [address: number[], port: number];
  state: number;
}

/** One end as the kernel prints it: the address as one little-endian number. */
function end([address, port]: [number[], number]): string {
  const hex = (value: number, digits: number) =>
    value.toString(16).toUpperCase().padStart(digits, '0');
  const number = address.reduceRight((sum, byte) => sum * 256 + byte, 0);
  return `${hex(number, 8)}:${hex(port, 4)}`;
}

function table(sockets: readonly Socket[]): string {
  const lines = sockets.map(({ local, remote, state }, i) => {
    const st = state.toString(16).toUpperCase().padStart(2, '0');
    const rest =
      '00000000:00000000 00:00000000 00000000     0        0 1081 1 00000000 100 0 0 10 0';
    return `${String(i).padStart(4)}: ${end(local)} ${end(remote)} ${st} ${rest}`.padEnd(149);
  });
  return `${[HEADER.padEnd(149), ...lines].join('\n')}\n`;
}

test('a table as the kernel prints it', () => {
  const text = `${HEADER}                                                     
   0: 1500FEA9:C33F 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1081 1 0000000071cf832c 100 0 0 10 0                      
   1: 1500FEA9:8822 FEA9FEA9:0050 06 00000000:00000000 03:000015C6 00000000     0        0 0 3 00000000913c29a9                                      
   2: 1500FEA9:8823 FEA9FEA9:0050 02 00000001:00000000 01:000000C6 00000000     0        0 4711 2 00000000913c29aa 100 0 0 10 -1                    
   3: 1500FEA9:8824 FEA9FEA9:0051 01 00000000:00000000 00:00000000 00000000     0        0 4712 1 00000000913c29ab 20 0 0 10 -1                     
  10: 1500FEA9:8825 FEA9FEA9:0050 06 00000000:00000000 03:000015C6 00000000     0        0 0 3 00000000913c29ac                                      
`;
  const counts = countSockets(text, MMDS);
  assert.deepEqual(
    counts,
    new Map([
      [TCP_STATE.timeWait, 2],
      [TCP_STATE.synSent, 1],
    ]),
  );
});

test('no sockets, no table, no line end', () => {
  assert.equal(countSockets(table([]), MMDS).size, 0);
  assert.equal(countSockets('', MMDS).size, 0);
  const one = table([
    { local: [[169, 254, 0, 21], 40_000], remote: [[169, 254, 169, 254], 80], state: 6 },
  ]);
  assert.equal(countSockets(one.trimEnd(), MMDS).get(6), 1);
  // More than 9,999 lines: the first column grows.
  assert.equal(countSockets(one.replace('   0:', ' 123456:'), MMDS).get(6), 1);
});

const byte = fc.integer({ min: 0, max: 255 });
const address = fc.oneof(
  fc.constantFrom<number[][]>([169, 254, 169, 254], [169, 254, 0, 21], [127, 0, 0, 1]),
  fc.array(byte, { minLength: 4, maxLength: 4 }),
);
const port = fc.oneof(fc.constantFrom(80, 49_983), fc.integer({ min: 0, max: 65_535 }));
const socket = fc.record({
  local: fc.tuple(address, port),
  remote: fc.tuple(address, port),
  state: fc.integer({ min: 1, max: 12 }),
});

test('the sockets of any table are counted by state', () => {
  fc.assert(
    fc.property(fc.array(socket, { maxLength: 60 }), fc.tuple(address, port), (sockets, remote) => {
      const [host, at] = remote;
      const expected = new Map<number, number>();
      for (const one of sockets) {
        if (end(one.remote) !== end(remote)) continue;
        expected.set(one.state, (expected.get(one.state) ?? 0) + 1);
      }
      const counts = countSockets(table(sockets), { host: host.join('.'), port: at });
      assert.deepEqual(new Map([...counts].sort()), new Map([...expected].sort()));
    }),
    { numRuns: 500 },
  );
});

test('garbage is counted as it may be, but ends and throws nothing', () => {
  const nearly = fc
    .array(fc.constantFrom('\n', '  0: ', '1500FEA9:8822 ', 'FEA9FEA9:0050 ', '06', ': ', 'x'))
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.oneof(nearly, fc.string({ unit: 'binary' })), (text) => {
      const lines = text.split('\n').length;
      const total = [...countSockets(text, MMDS).values()].reduce((sum, count) => sum + count, 0);
      assert.ok(total <= lines);
    }),
    { numRuns: 1_000 },
  );
});
