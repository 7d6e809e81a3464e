import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { portCapacity } from '../../../src/lane/network/netns.js';
import { parseNetCounters, parseSockStat } from '../../../src/observe/proc/counters.js';
import { parseProcessStat, parseResident } from '../../../src/observe/proc/process.js';
import { countSockets } from '../../../src/observe/proc/sockets.js';
import { StackDumpReader } from '../../../src/observe/stack-dump.js';
import { inPieces, mutatedBytes } from '../hostile.js';
import { defineTarget } from '../target.js';

const texts = (name: string) => readFileSync(`/proc/self/${name}`, 'utf8');
const STAT = '4711 (a) (b) c) S 1 2 3 4 5 6 7 8 9 10 110 120 13 14 20 0 11 0 99 100 200';
const PROC = [
  texts('net/snmp'),
  texts('net/netstat'),
  texts('net/sockstat'),
  texts('net/tcp').slice(0, 2_000),
  texts('status'),
  STAT,
  '32768 60999',
  '1-5,40000,50000-50010',
];

/** Texts of /proc. What cannot be read is missing, never a number that is none. */
export const proc = defineTarget({
  name: 'proc',
  input: mutatedBytes(PROC),
  check(bytes) {
    const text = bytes.toString();
    const stat = parseProcessStat(text);
    const sockets = parseSockStat(text);
    const remote = { host: '127.0.0.1', port: 80 };
    const figures = [
      ...['Tcp', 'TcpExt'].flatMap((section) => [...parseNetCounters(text, section).values()]),
      ...(sockets ? [sockets.inUse, sockets.timeWait] : []),
      ...(stat ? [stat.cpuSeconds, stat.threads] : []),
      parseResident(text),
      ...[...countSockets(text, remote)].flat(),
      portCapacity(text, '') ?? 0,
      portCapacity('32768 60999', text) ?? 0,
    ];
    for (const figure of figures) {
      assert.ok(Math.abs(figure) <= Number.MAX_SAFE_INTEGER, `${figure} in ${figures}`);
    }
  },
});

const dump = readFileSync('test/fixtures/goroutines.txt', 'utf8');

/** Goroutine dumps, in pieces. */
export const dumps = defineTarget({
  name: 'stack-dumps',
  input: fc.tuple(
    mutatedBytes([
      dump,
      dump.slice(0, 3_000),
      'SIGQUIT: quit\ngoroutine 1 [x]:\nhost.PollForMMDSOpts(0)\n',
    ]),
    fc.array(fc.nat(), { maxLength: 5 }),
  ),
  check([bytes, cuts]) {
    const text = bytes.toString();
    const read = (pieces: readonly string[]) => {
      const reader = new StackDumpReader('PollForMMDSOpts');
      for (const piece of pieces) reader.push(piece);
      return reader.end();
    };
    const whole = read([text]);
    assert.deepEqual(read(inPieces(text, cuts)), whole);
    if (whole)
      assert.ok(
        whole.pollers + whole.bootPollers <= whole.goroutines,
        'more pollers than goroutines',
      );
  },
});
