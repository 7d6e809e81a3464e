import { checkVerdicts } from './check.js';
import { dead, lane, noRequests, unguarded } from './lanes.js';
import { run } from './run.js';

checkVerdicts('control-plane', [
  [
    'everything was answered',
    run(),
    'refuted',
    'unguarded',
    0,
    /^all 600 \/init answered, p99 3\.5 ms; all 600 \/health answered, p99 3\.5 ms$/,
  ],
  [
    'a probe timed out',
    run({}, lane(unguarded, { health: { answered: 597, timedOut: 2, failed: 1 } })),
    'reproduced',
    'unguarded',
    3,
    /of 600 \/health 2 timed out and 1 failed/,
  ],
  [
    'a server error is no answer',
    run({}, lane(unguarded, { init: { statuses: { '204': 590, '500': 10 } } })),
    'reproduced',
    'unguarded',
    10,
    /10 were refused with a status other than 2xx/,
  ],
  [
    'a refusal of what is in order is none either',
    run({}, lane(unguarded, { init: { statuses: { '401': 600 } } })),
    'reproduced',
    'unguarded',
    600,
    /600 were refused/,
  ],
  [
    'one stream was not asked',
    run({}, lane(unguarded, { health: noRequests })),
    'refuted',
    'unguarded',
    0,
    /\/health was not asked/,
  ],
  ['nothing was asked', run({}, dead), 'not-applicable', 'unguarded', null, /neither/],
  [
    'what is in flight at an interrupt is no failure',
    run({ complete: false }, lane(unguarded, { init: { answered: 599, failed: 1 } })),
    'not-applicable',
    'unguarded',
    1,
    /interrupted/,
  ],
]);
