import { checkVerdicts } from './check.js';
import { atBase, atHead, guarded, lane, unguarded } from './lanes.js';
import { run } from './run.js';

checkVerdicts('version', [
  ['another version', run(), 'reproduced', null, '0.6.13, 0.6.14', /different versions/],
  ['the same version', run({}, atBase, atHead), 'refuted', null, '0.6.13, 0.6.13', /same version/],
  [
    'none was answered',
    run({}, unguarded, lane(guarded, { version: null })),
    'not-applicable',
    null,
    null,
    /not both/,
  ],
  ['a lane alone', run({}, unguarded), 'not-applicable', null, null, /no two lanes/],
]);
