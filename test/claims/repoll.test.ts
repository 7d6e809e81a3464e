import { checkVerdicts } from './check.js';
import { atBase, atHead, guarded, lane, storm, unguarded } from './lanes.js';
import { boot, run } from './run.js';

checkVerdicts('repoll', [
  [
    'it polled again',
    run({}, unguarded, lane(guarded, { pollers: { spawned: 2 } })),
    'reproduced',
    'guarded',
    2,
    /2 pollers one after the other/,
  ],
  [
    'the poller lived through the outage',
    run(),
    'not-applicable',
    'guarded',
    1,
    /did not end before the last/,
  ],
  [
    'it ended, and nobody polled any more',
    run(
      { scenario: { outageMs: 90_000 } },
      unguarded,
      lane(guarded, {
        init: { sent: 900, answered: 900 },
        series: storm(
          900,
          () => 40,
          (i) => (i < 600 ? 1 : 0),
        ),
      }),
    ),
    'refuted',
    'guarded',
    1,
    /no poller after 60 s, though \/init was sent until 89\.9 s/,
  ],
  [
    'it ended at once, between two samples',
    run(
      {},
      unguarded,
      lane(guarded, {
        agentCount: { pollersFinished: 1, pollersExpired: 0 },
        series: storm(
          600,
          () => 0,
          () => 0,
        ),
      }),
    ),
    'refuted',
    'guarded',
    1,
    /no poller after 0 s/,
  ],
  [
    'it ended with the outage',
    run(
      {},
      unguarded,
      lane(guarded, {
        series: storm(
          601,
          () => 40,
          (i) => (i < 600 ? 1 : 0),
        ),
      }),
    ),
    'not-applicable',
    'guarded',
    1,
    /did not end before/,
  ],
  [
    'none had to end where they overlap',
    run({}, atBase, atHead),
    'not-applicable',
    'head',
    600,
    /600 polled at once/,
  ],
  [
    'the boot poller is none of an /init’s',
    run(boot, unguarded, lane(guarded, { pollers: { spawned: 2 } })),
    'not-applicable',
    'guarded',
    2,
    /did not end/,
  ],
  [
    'it polled again beside the boot poller',
    run(boot, unguarded, lane(guarded, { pollers: { spawned: 3, peak: 2 } })),
    'reproduced',
    'guarded',
    3,
    /the boot poller among them/,
  ],
  [
    'there was one /init',
    run(
      { scenario: { retry: 'orchestrator' } },
      unguarded,
      lane(guarded, { init: { sent: 1, answered: 1 } }),
    ),
    'not-applicable',
    'guarded',
    1,
    /no later \/init/,
  ],
  [
    'it never polled',
    run(
      {},
      unguarded,
      lane(guarded, { connections: { total: 0 }, pollers: { peak: 0, spawned: 0 } }),
    ),
    'not-applicable',
    'guarded',
    0,
    /no attempt seen/,
  ],
  ['interrupted', run({ complete: false }), 'not-applicable', 'guarded', 1, /interrupted/],
  [
    'a binary’s pollers are not counted one by one',
    run({}, atBase, lane(atHead, { pollers: { spawned: null } })),
    'not-applicable',
    'head',
    null,
    /not counted/,
  ],
]);
