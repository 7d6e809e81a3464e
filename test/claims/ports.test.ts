import { checkVerdicts } from './check.js';
import { dead, lane, unguarded } from './lanes.js';
import { run, short } from './run.js';

checkVerdicts('ports', [
  [
    'refused attempts free their ports',
    run(),
    'refuted',
    'unguarded',
    700,
    /never exhausted: at most 700 of 28,232/,
  ],
  [
    'exhausted',
    run({}, lane(unguarded, { ports: { exhaustedAtMs: 11_900, peak: 28_232 } })),
    'reproduced',
    'unguarded',
    28_232,
    /exhausted 11\.9 s after/,
  ],
  [
    'exhausted also when interrupted',
    run({ complete: false }, lane(unguarded, { ports: { exhaustedAtMs: 11_900 } })),
    'reproduced',
    'unguarded',
    700,
    /exhausted/,
  ],
  [
    'the whole range in use is not yet exhausted',
    run({}, lane(unguarded, { ports: { peak: 28_232 } })),
    'refuted',
    'unguarded',
    28_232,
    /never exhausted/,
  ],
  [
    'too short an outage to fill them',
    run(short),
    'not-applicable',
    'unguarded',
    700,
    /need 11\.9 s to fill them, the outage was 5 s/,
  ],
  [
    'too rare an /init to fill them',
    run({ scenario: { intervalMs: 7000 } }),
    'not-applicable',
    'unguarded',
    700,
    /never fill them/,
  ],
  ['nothing was measured', run({}, dead), 'not-applicable', 'unguarded', null, /not measured/],
  ['interrupted', run({ complete: false }), 'not-applicable', 'unguarded', 700, /interrupted/],
]);
