import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PortLook, PortWatch } from '../../src/observe/port-watch.js';

const NOTHING: Omit<PortLook, 'tMs'> = {
  portsInUse: null,
  timeWait: null,
  localFailures: null,
  connectionsPerSecond: null,
  pollers: null,
  demandPerPoller: 40,
};

/** Looks at each of these in turn, a second apart. */
function watch(capacity: number | null, looks: Partial<PortLook>[]): PortWatch {
  const ports = new PortWatch(capacity);
  looks.forEach((look, i) => {
    ports.push({ ...NOTHING, tMs: (i + 1) * 1_000, ...look });
  });
  return ports;
}

const table: [
  comment: string,
  capacity: number | null,
  looks: Partial<PortLook>[],
  expected: Partial<PortWatch>,
][] = [
  [
    'nothing seen',
    100,
    [],
    { peak: null, timeWaitPeak: null, exhaustedAtMs: null, kneeAtMs: null },
  ],
  ['nothing measured', 100, [{}, {}], { peak: null, timeWaitPeak: null, exhaustedAtMs: null }],
  ['a measured 0 is a 0', 100, [{ portsInUse: 0, timeWait: 0 }], { peak: 0, timeWaitPeak: 0 }],
  [
    'the peak stays',
    100,
    [{ portsInUse: 5 }, { portsInUse: 9 }, { portsInUse: 3 }, {}],
    { peak: 9, exhaustedAtMs: null },
  ],
  ['TIME_WAIT’s peak stays', 100, [{ timeWait: 7 }, { timeWait: 2 }], { timeWaitPeak: 7 }],
  ['one port is left', 100, [{ portsInUse: 99 }], { exhaustedAtMs: null }],
  [
    'every port is held',
    100,
    [{ portsInUse: 99 }, { portsInUse: 100 }, { portsInUse: 3 }],
    { exhaustedAtMs: 2_000 },
  ],
  [
    'an attempt died locally',
    100,
    [{ localFailures: 0 }, { localFailures: 1 }],
    { exhaustedAtMs: 2_000 },
  ],
  [
    'only the first time counts',
    100,
    [{ portsInUse: 100 }, { portsInUse: 100 }],
    { exhaustedAtMs: 1_000 },
  ],
  [
    'the capacity is unknown',
    null,
    [{ portsInUse: 60_000 }],
    { peak: 60_000, exhaustedAtMs: null },
  ],
  [
    'the capacity is unknown, but an attempt died',
    null,
    [{ localFailures: 2 }],
    { exhaustedAtMs: 1_000 },
  ],
];
for (const [comment, capacity, looks, expected] of table) {
  test(`ports: ${comment}`, () => {
    const ports = watch(capacity, looks);
    for (const [name, value] of Object.entries(expected)) {
      assert.equal(ports[name as keyof PortWatch], value, name);
    }
  });
}

/** 10 pollers demand 400/s. */
const slow = { pollers: 10, connectionsPerSecond: 199 };
const knees: [comment: string, looks: Partial<PortLook>[], kneeAtMs: number | null][] = [
  ['below half the demand while TIME_WAIT grows', [{}, { ...slow, timeWait: 10 }], 2_000],
  ['only the first time counts', [{}, { ...slow, timeWait: 10 }, { ...slow, timeWait: 20 }], 2_000],
  ['the first seconds lag behind by themselves', [{ ...slow, timeWait: 10 }], null],
  ['half the demand is enough', [{}, { ...slow, connectionsPerSecond: 200, timeWait: 10 }], null],
  ['TIME_WAIT does not grow', [{ timeWait: 10 }, { ...slow, timeWait: 10 }], null],
  ['TIME_WAIT shrinks', [{ timeWait: 10 }, { ...slow, timeWait: 9 }], null],
  ['a gap in the readings is no growth', [{ timeWait: 10 }, {}, { ...slow, timeWait: 10 }], null],
  ['no pollers', [{}, { ...slow, pollers: 0, timeWait: 10 }], null],
  ['pollers unknown', [{}, { ...slow, pollers: null, timeWait: 10 }], null],
  ['rate unknown', [{}, { ...slow, connectionsPerSecond: null, timeWait: 10 }], null],
  ['TIME_WAIT unknown', [{}, { ...slow, timeWait: null }], null],
  ['no TIME_WAIT', [{}, { ...slow, timeWait: 0 }], null],
  [
    'pollers that wait for answers ask for no rate',
    [{}, { ...slow, demandPerPoller: null, timeWait: 10 }],
    null,
  ],
  [
    'after another fault the rate lags behind again',
    [{ demandPerPoller: 20 }, {}, { ...slow, timeWait: 10 }, { ...slow, timeWait: 20 }],
    4_000,
  ],
];
for (const [comment, looks, kneeAtMs] of knees) {
  test(`knee: ${comment}`, () => assert.equal(watch(100, looks).kneeAtMs, kneeAtMs));
}
