import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Finding } from '../../src/experiment/doctor/check.js';
import { clockFinding } from '../../src/experiment/doctor/clock.js';
import { countersIn } from '../../src/experiment/doctor/counters.js';
import { filesFinding } from '../../src/experiment/doctor/files.js';
import { idleFinding } from '../../src/experiment/doctor/idle.js';
import { isolationFinding } from '../../src/experiment/doctor/isolation.js';
import { memoryFinding } from '../../src/experiment/doctor/memory.js';
import { nodeVersion } from '../../src/experiment/doctor/node.js';
import { portsIn } from '../../src/experiment/doctor/ports.js';
import { processesFinding } from '../../src/experiment/doctor/processes.js';
import { processorsFinding } from '../../src/experiment/doctor/processors.js';
import { toolsOn } from '../../src/experiment/doctor/tools.js';
import { readProc } from '../../src/observe/proc/counters.js';

/** A /proc without some of its files. */
const without = (hidden: RegExp) => (path: string) =>
  hidden.test(path) ? undefined : readProc(path);

const netns = { kind: 'netns', reason: 'user namespaces work here' } as const;
const loopback = { kind: 'loopback', reason: 'no network namespaces here: why' } as const;
const range = (text: string) => (path: string) =>
  path.endsWith('ip_local_port_range') ? text : readProc(path);

const table: [comment: string, finding: Finding, state: Finding['state'], says: RegExp][] = [
  ['node', nodeVersion('v20.0.0', 'linux'), 'ok', /v20/],
  ['a later node', nodeVersion('v24.1.0', 'linux'), 'ok', /v24/],
  ['an old node', nodeVersion('v18.20.0', 'linux'), 'missing', /too old/],
  ['another system', nodeVersion('v20.0.0', 'darwin'), 'missing', /darwin/],
  ['no tools', toolsOn('/nowhere'), 'limited', /unshare, setpriv, mount, ip/],
  ['namespaces', isolationFinding(netns, 'ann'), 'ok', /netns as ann/],
  ['no namespaces', isolationFinding(loopback, 'ann'), 'limited', /: why;.*blackhole/],
  ['no snmp', countersIn(without(/snmp/)), 'limited', /net\/snmp/],
  ['no socket table', countersIn(without(/net\/tcp/)), 'limited', /net\/tcp/],
  ['no sockstat', countersIn(without(/sockstat/)), 'limited', /sockstat/],
  [
    'an empty snmp',
    countersIn((path) => (/snmp/.test(path) ? '' : readProc(path))),
    'limited',
    /snmp/,
  ],
  ['a small range', portsIn(range('40000\t41000\n')), 'limited', /1001 ports/],
  ['the usual range', portsIn(range('32768\t60999\n')), 'ok', /28232 ports/],
  ['all files', filesFinding(Number.POSITIVE_INFINITY), 'ok', /unlimited/],
  ['enough files', filesFinding(664), 'ok', /664/],
  ['few files', filesFinding(256), 'limited', /256 allowed, 600 hanging pollers need 664/],
  ['too few files', filesFinding(63), 'missing', /63/],
  [
    'all processes',
    processesFinding({ limit: Number.POSITIVE_INFINITY, used: 0 }),
    'ok',
    /no limit/,
  ],
  ['enough processes', processesFinding({ limit: 195, used: 100 }), 'ok', /95 of 195/],
  ['one lane at a time', processesFinding({ limit: 160, used: 100 }), 'limited', /60 of 160/],
  ['too few processes', processesFinding({ limit: 100, used: 90 }), 'missing', /10 of 100/],
  ['two processors', processorsFinding({ cpus: 2, hostCpus: 64 }), 'ok', /2 of 64/],
  ['half a processor', processorsFinding({ cpus: 0.5, hostCpus: 64 }), 'limited', /0\.5 of 64/],
  ['nobody else', idleFinding(0.4, 2), 'ok', /0\.40/],
  ['others', idleFinding(3.1, 2), 'limited', /others/],
  ['memory', memoryFinding('MemAvailable:    4000000 kB\n', 8e9), 'ok', /3\.8 GiB/],
  ['little memory', memoryFinding('MemAvailable:     400000 kB\n', 8e9), 'limited', /390/],
  ['a small cgroup', memoryFinding('MemAvailable:    4000000 kB\n', 2 ** 28), 'limited', /256 MiB/],
  ['a good clock', clockFinding('tsc', { costUs: 0.2, stepsBack: 0 }), 'ok', /tsc/],
  ['a slow clock', clockFinding('acpi_pm', { costUs: 9, stepsBack: 0 }), 'limited', /slow/],
  [
    'a clock that steps back',
    clockFinding('tsc', { costUs: 0.2, stepsBack: 3 }),
    'limited',
    /back/,
  ],
];
for (const [comment, { state, text, mend }, expected, says] of table) {
  test(`doctor: ${comment}`, () => {
    assert.equal(state, expected);
    assert.match(text, says);
    assert.doesNotMatch(text, /\n|undefined|NaN|null/);
    // What is not well has a mend, and what is well needs none.
    assert.equal(mend === null, state === 'ok');
  });
}
