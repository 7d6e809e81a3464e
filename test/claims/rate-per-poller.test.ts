import { checkVerdicts } from './check.js';
import { dead, guarded, lane, storm, unguarded } from './lanes.js';
import { run, short } from './run.js';

checkVerdicts('rate-per-poller', [
  [
    'the figure of the issue',
    run(),
    'reproduced',
    'unguarded',
    39.9,
    /23,790\/s from 591 to 600 pollers are 39\.\d to 40\.\d each, within 2 %/,
  ],
  [
    'fail-fast pollers make half',
    run(
      {},
      lane(unguarded, {
        connections: { perSecondPeak: 11_900 },
        series: storm(600, (pollers) => pollers * 20),
      }),
    ),
    'refuted',
    'unguarded',
    20,
    /not within 2 % of 40/,
  ],
  [
    'at 5 s the pollers of that second count',
    run(
      short,
      lane(unguarded, { connections: { perSecondPeak: 1800 }, series: storm(50, (n) => n * 40) }),
    ),
    'reproduced',
    'unguarded',
    39.6,
    /from 41 to 50 pollers/,
  ],
  [
    'one sample with a burst is not the busiest second',
    run({}, lane(unguarded, { series: storm(600, (n) => (n === 200 ? 30_000 : n * 40)) })),
    'reproduced',
    'unguarded',
    39.9,
    /from 591 to 600/,
  ],
  [
    'too few to tell',
    run(
      short,
      lane(unguarded, { connections: { perSecondPeak: 200 }, series: storm(10, (n) => n * 40) }),
    ),
    'not-applicable',
    'unguarded',
    36.4,
    /from 1 to 10 within the busiest second/,
  ],
  [
    'pollers that hang make hardly any, however uneven their number',
    run(
      short,
      lane(unguarded, { connections: { perSecondPeak: 10 }, series: storm(50, () => 10) }),
    ),
    'refuted',
    'unguarded',
    0.2,
    /not within 2 % of 40/,
  ],
  [
    'a poller that comes and goes within the second',
    run(
      {},
      lane(unguarded, {
        connections: { perSecondPeak: 100 },
        series: storm(
          20,
          () => 100,
          (sample) => sample % 2,
        ),
      }),
    ),
    'not-applicable',
    'unguarded',
    200,
    /from 0 to 1 within the busiest second/,
  ],
  ['it needs no whole outage', run({ complete: false }), 'reproduced', 'unguarded', 39.9, /within/],
  [
    'but an outage',
    run({ scenario: { fault: 'none' } }),
    'not-applicable',
    'unguarded',
    null,
    /available/,
  ],
  [
    'no pollers to divide by',
    run(
      {},
      lane(unguarded, {
        series: storm(
          600,
          () => 0,
          () => 0,
        ),
      }),
    ),
    'not-applicable',
    'unguarded',
    null,
    /no poller/,
  ],
  ['nothing was measured', run({}, dead), 'not-applicable', 'unguarded', null, /not both measured/],
  ['only guarded agents', run({}, guarded), 'not-applicable', null, null, /no lane/],
]);
