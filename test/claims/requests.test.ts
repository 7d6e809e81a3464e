import { checkVerdicts } from './check.js';
import { lane, unguarded } from './lanes.js';
import { run, short } from './run.js';

checkVerdicts('requests', [
  [
    'one request a tick',
    run(),
    'reproduced',
    'unguarded',
    1199,
    /at most 1,199, not more than 1,200/,
  ],
  [
    'two requests a tick',
    run({}, lane(unguarded, { agentCount: { attemptsPerPollerMax: 2398 } })),
    'refuted',
    'unguarded',
    2398,
    /one poller made 2,398/,
  ],
  [
    'too many are too many also when interrupted',
    run({ complete: false }, lane(unguarded, { agentCount: { attemptsPerPollerMax: 1201 } })),
    'refuted',
    'unguarded',
    1201,
    /1,201/,
  ],
  [
    'no poller lived its life',
    run(short, lane(unguarded, { agentCount: { attemptsPerPollerMax: 99 } })),
    'not-applicable',
    'unguarded',
    99,
    /lived its 60 s: at most 99 in 5 s/,
  ],
  [
    'every poller was answered',
    run(
      { scenario: { fault: 'null' } },
      lane(unguarded, {
        agentCount: { attemptsPerPollerMax: 2, pollersFinished: 600, pollersExpired: 0 },
      }),
    ),
    'not-applicable',
    'unguarded',
    2,
    /answered before/,
  ],
  [
    'without a boot poller a longer outage excuses nothing',
    run(
      { scenario: { outageMs: 90_000 } },
      lane(unguarded, { agentCount: { attemptsPerPollerMax: 1201 } }),
    ),
    'refuted',
    'unguarded',
    1201,
    /one poller made 1,201/,
  ],
  [
    'the boot poller lives for ever',
    run(
      { scenario: { bootPoller: true, outageMs: 90_000 } },
      lane(unguarded, { agentCount: { attemptsPerPollerMax: 1799 } }),
    ),
    'not-applicable',
    'unguarded',
    1799,
    /boot poller/,
  ],
  ['interrupted', run({ complete: false }), 'not-applicable', 'unguarded', 1199, /interrupted/],
  [
    'a binary counts nothing',
    run({}, lane(unguarded, { agentCount: null })),
    'not-applicable',
    'unguarded',
    null,
    /does not count/,
  ],
]);
