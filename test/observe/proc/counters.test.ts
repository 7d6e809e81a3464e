import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseNetCounters, parseSockStat, readProc } from '../../../src/observe/proc/counters.js';

const SNMP = `Ip: Forwarding DefaultTTL InReceives
Ip: 1 64 875546
Icmp: InMsgs InErrors
Icmp: 4 0
Tcp: RtoAlgorithm RtoMin RtoMax MaxConn ActiveOpens PassiveOpens AttemptFails EstabResets CurrEstab
Tcp: 1 200 120000 -1 431151 881 430196 1323 0
Udp: InDatagrams NoPorts
Udp: 0 0
`;
const NETSTAT = `TcpExt: SyncookiesSent TW TCPTimeWaitOverflow
TcpExt: 0 3673 17
IpExt: InNoRoutes TW
IpExt: 0 99
`;

test('the counters of a section by their names', () => {
  const tcp = parseNetCounters(SNMP, 'Tcp');
  assert.equal(tcp.get('ActiveOpens'), 431_151);
  assert.equal(tcp.get('AttemptFails'), 430_196);
  assert.equal(tcp.get('MaxConn'), -1);
  assert.equal(tcp.get('NoPorts'), undefined);
  assert.equal(parseNetCounters(SNMP, 'Udp').get('NoPorts'), 0);
  assert.equal(parseNetCounters(NETSTAT, 'TcpExt').get('TCPTimeWaitOverflow'), 17);
  assert.equal(parseNetCounters(NETSTAT, 'TcpExt').get('TW'), 3_673);
});

const missing: [comment: string, text: string][] = [
  ['nothing', ''],
  ['another section', 'Udp: A B\nUdp: 1 2\n'],
  ['a section that begins alike', 'TcpExt: ActiveOpens\nTcpExt: 1\n'],
  ['names alone', 'Tcp: ActiveOpens\n'],
  ['no value behind the name', 'Tcp: A ActiveOpens\nTcp: 1\n'],
  ['an empty value', 'Tcp: A ActiveOpens\nTcp: 1 \n'],
  ['a word for a value', 'Tcp: ActiveOpens\nTcp: many\n'],
];
for (const [comment, text] of missing) {
  test(`a counter that is not there is no 0: ${comment}`, () => {
    assert.equal(parseNetCounters(text, 'Tcp').get('ActiveOpens'), undefined);
  });
}

test('the counters of garbage are finite, and nothing is thrown', () => {
  const nearly = fc
    .array(fc.constantFrom('Tcp: ', 'A', ' ', '1', '-', '\n', 'e9', 'NaN', 'Infinity', 'x'))
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.oneof(nearly, fc.string({ unit: 'binary' })), (text) => {
      for (const value of parseNetCounters(text, 'Tcp').values()) {
        assert.ok(Number.isFinite(value));
      }
      parseSockStat(text);
    }),
    { numRuns: 1_000 },
  );
});

test('sockstat: sockets in use and in TIME_WAIT', () => {
  const text = `sockets: used 35
TCP: inuse 6 orphan 2 tw 268 alloc 10 mem 264
UDP: inuse 3 mem 0
TCP6: inuse 9
`;
  assert.deepEqual(parseSockStat(text), { inUse: 6, timeWait: 268 });
});

for (const text of ['', 'UDP: inuse 3 mem 0\n', 'TCP: inuse x orphan 0 tw 1', 'TCP6: inuse 9\n']) {
  test(`sockstat without its line: ${JSON.stringify(text)}`, () => {
    assert.equal(parseSockStat(text), undefined);
  });
}

test('files of /proc that are there, and that are not', () => {
  assert.ok(parseSockStat(readProc('/proc/self/net/sockstat') ?? ''));
  assert.ok(parseNetCounters(readProc('/proc/self/net/snmp') ?? '', 'Tcp').has('ActiveOpens'));
  assert.equal(readProc('/proc/0/net/snmp'), undefined);
  assert.equal(readProc('/proc/self/net'), undefined);
  assert.equal(readProc(''), undefined);
});

test('a number that no counter can have is not read', () => {
  const absurd = '9'.repeat(400);
  const snmp = `Tcp: ActiveOpens AttemptFails\nTcp: ${absurd} 5\n`;
  const tcp = parseNetCounters(snmp, 'Tcp');
  assert.deepEqual([tcp.get('ActiveOpens'), tcp.get('AttemptFails')], [undefined, 5]);
  assert.equal(parseSockStat(`TCP: inuse ${absurd} orphan 0 tw 3 alloc 1 mem 1\n`), undefined);
});
