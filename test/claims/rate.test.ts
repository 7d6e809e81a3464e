import { checkVerdicts } from './check.js';
import { dead, lane, unguarded } from './lanes.js';
import { run, short } from './run.js';

checkVerdicts('rate', [
  [
    'the figure of the issue',
    run(),
    'reproduced',
    'unguarded',
    23_790,
    /^23,790\/s between 23,324 and 24,480/,
  ],
  [
    'fail-fast pollers make half',
    run(
      {},
      lane(unguarded, {
        connections: { perSecondPeak: 11_900 },
        predicted: { connectionsPerSecondPeak: 12_000 },
      }),
    ),
    'refuted',
    'unguarded',
    11_900,
    /^11,900\/s not between .* 24,000$/,
  ],
  [
    'asked for, and not given',
    run({}, lane(unguarded, { connections: { perSecondPeak: 13_500 } })),
    'refuted',
    'unguarded',
    13_500,
    /the pollers asked for 24,000\/s, the machine and its ports gave less/,
  ],
  [
    'a short outage never holds the end’s rate for a second',
    run(short, lane(unguarded, { connections: { perSecondPeak: 1800 } })),
    'not-applicable',
    'unguarded',
    1800,
    /too short to tell: .* rise to 2,000\/s, and make 1,800 in it/,
  ],
  [
    'an outage of one /init has no rate',
    run({ scenario: { outageMs: 100 } }, lane(unguarded, { connections: { perSecondPeak: 2 } })),
    'not-applicable',
    'unguarded',
    2,
    /too short to tell/,
  ],
  [
    'half a minute is long enough',
    run(
      { scenario: { outageMs: 30_000 } },
      lane(unguarded, { connections: { perSecondPeak: 11_800 } }),
    ),
    'reproduced',
    'unguarded',
    11_800,
    /last second's 11,800 and the end's 12,000/,
  ],
  [
    'too much',
    run({}, lane(unguarded, { connections: { perSecondPeak: 24_600 } })),
    'refuted',
    'unguarded',
    24_600,
    /not between/,
  ],
  ['nothing was measured', run({}, dead), 'not-applicable', 'unguarded', null, /not measured/],
  ['interrupted', run({ complete: false }), 'not-applicable', 'unguarded', 23_790, /interrupted/],
]);
