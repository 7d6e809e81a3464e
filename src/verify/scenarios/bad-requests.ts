import { monotonicMs } from '../../base/clock.js';
import { fail, pass, type Scenario } from '../scenario.js';
import type { Stage } from '../stage.js';
import { PATIENCE_MS } from '../times.js';
import { warmUp } from '../warm-up.js';

const HUGE_BYTES = 8 << 20;

/** What is sent, the statuses that are right, and whether envd 0.6.13 starts a poller on it too. */
interface BadRequest {
  name: string;
  /** Sends it; the status, or null where nobody waits for one. */
  send(stage: Stage): Promise<number | null>;
  right: readonly (number | null)[];
  mayPoll: boolean;
}

const REQUESTS: readonly BadRequest[] = [
  {
    name: 'malformed JSON',
    send: async (stage) => (await stage.init('{"accessToken": nonsense}')).status,
    right: [400],
    mayPoll: false,
  },
  {
    name: 'a field of a wrong type',
    send: async (stage) => (await stage.init('{"envVars": 7}')).status,
    right: [400],
    mayPoll: false,
  },
  {
    name: 'a huge body that is no JSON',
    send: async (stage) => (await stage.init('x'.repeat(HUGE_BYTES))).status,
    right: [400, 413],
    mayPoll: false,
  },
  {
    name: 'a wrong access token',
    send: async (stage) => (await stage.init({ accessToken: 'not-the-token' })).status,
    right: [401],
    mayPoll: false,
  },
  {
    name: 'a caller that hangs up',
    send: async (stage) => {
      stage.step('an /init whose caller hangs up in the middle of its body');
      await stage.api.hangUp();
      return null;
    },
    right: [null],
    mayPoll: false,
  },
  {
    name: 'a stale timestamp',
    send: async (stage) => {
      const stale = new Date(Date.now() - 3_600_000).toISOString();
      return (await stage.init({ timestamp: stale, envVars: { STALE: 'yes' } })).status;
    },
    right: [204],
    mayPoll: true,
  },
];

export const badRequests: Scenario = {
  name: 'bad-requests',
  summary: 'malformed, huge, unauthorized, stale or abandoned /init: the right status, no poller',
  run: async (stage) => {
    await warmUp(stage);
    // Newer than the stale one, and what that one must not replace.
    await stage.init({ timestamp: new Date().toISOString(), envVars: { KEPT: 'yes' } });
    await stage.quiet(monotonicMs() + PATIENCE_MS);
    await stage.setFault('http-error');
    for (const request of REQUESTS) {
      const trouble = await troubleWith(stage, request);
      if (trouble) return fail(`${request.name}: ${trouble}`);
    }
    const envs = await stage.api.envs();
    if (envs?.STALE !== undefined || envs?.KEPT !== 'yes') {
      return fail('a stale timestamp: its data replaced those of a newer /init');
    }
    return pass(`the right answer to each of ${REQUESTS.length}, and no poller too many`);
  },
};

async function troubleWith(stage: Stage, request: BadRequest): Promise<string | undefined> {
  const status = await request.send(stage);
  if (!request.right.includes(status)) {
    return `answered ${status ?? 'not at all'}, not ${request.right.join(' or ')}`;
  }
  // The check of a token asks MMDS too, but is over with the answer; a poller goes on asking.
  await stage.wait(2 * stage.times.tickMs);
  stage.watch.restart();
  await stage.wait(6 * stage.times.tickMs);
  if (stage.watch.polls > 0 && !request.mayPoll) return 'it started a poller, which envd does not';
  const { status: health } = await stage.api.health();
  return health === 204 ? undefined : `afterwards /health answers ${health ?? 'nothing'}`;
}
