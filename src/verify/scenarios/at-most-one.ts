import { monotonicMs, sleepUntil } from '../../base/clock.js';
import type { ApiAnswer } from '../agent-api.js';
import { Failure } from '../errors.js';
import { fail, pass, type Scenario, skip } from '../scenario.js';
import type { Stage } from '../stage.js';
import { PATIENCE_MS, quietMs } from '../times.js';

/** The interval of the issue, ms. */
const INTERVAL_MS = 100;
const BURST = 100;

/** An outage outlasts a poller, so that the next one is seen too. */
const LIVES = 1.3;

/**
 * Under `hang` every poller holds exactly one connection, for up to 10 s: MMDS can count them, and
 * needs not ask the agent.
 */
export const atMostOne: Scenario = {
  name: 'at-most-one',
  summary: 'retries through a whole outage and 100 /init at once: never more than one poller',
  // A token request that is answered in vain: the first /init can settle the access token at once.
  firstFault: 'empty-token',
  run: async (stage) => {
    const boot = (await hasBootPoller(stage)) ? 1 : 0;
    await stage.acceptedInit();
    await stage.setFault('hang');
    // Those that were being answered have ended by then.
    await stage.wait(4 * stage.times.tickMs);
    stage.watch.restart();
    const outage = await retryThroughOutage(stage);
    const inOutage = stage.watch.mostHeld(quietMs(stage.times)) - boot;
    if (inOutage <= 0) return skip('no poller was seen in the outage: nothing is known of a cap');
    const inBurst = await burst(stage);
    const beside = boot ? ', beside one poller of the boot, which no guard covers' : '';
    const seen =
      `${inOutage} ${inOutage === 1 ? 'poller' : 'pollers'} at once through ${outage} /init in ` +
      `${Math.round(LIVES * stage.times.lifetimeMs) / 1e3} s${beside}, and ${inBurst} after ` +
      `${BURST} /init at once`;
    if (inBurst === 0) return skip(`no poller was seen after the burst (${seen})`);
    return Math.max(inOutage, inBurst) > 1 ? fail(seen) : pass(seen);
  },
};

/** Before any `/init` only a poller of the boot can have polled. */
async function hasBootPoller(stage: Stage): Promise<boolean> {
  await stage.wait(6 * stage.times.tickMs);
  return stage.watch.polls > 0;
}

/** @returns how many `/init` were sent */
async function retryThroughOutage(stage: Stage): Promise<number> {
  const beganMs = monotonicMs();
  const answers: Promise<ApiAnswer>[] = [];
  while (monotonicMs() < beganMs + LIVES * stage.times.lifetimeMs) {
    answers.push(stage.init());
    // Each is awaited at the end; a failure before that is no unhandled one.
    answers.at(-1)?.catch(() => {});
    await sleepUntil(beganMs + answers.length * INTERVAL_MS);
  }
  await Promise.all(answers);
  await stage.wait(2 * quietMs(stage.times));
  return answers.length;
}

/** @returns the most pollers at once, of an agent that had none */
async function burst(stage: Stage): Promise<number> {
  const next = await stage.nextIdentity();
  await stage.setFault('none');
  const deadlineMs = monotonicMs() + 2 * stage.times.tickMs + 2 * PATIENCE_MS;
  if (!(await stage.delivered(next, deadlineMs)) || !(await stage.quiet(deadlineMs))) {
    throw new Failure('MMDS came back after the outage, and polling did not end with the identity');
  }
  await stage.setFault('hang');
  stage.watch.restart();
  await Promise.all(Array.from({ length: BURST }, () => stage.init()));
  await stage.until(() => stage.watch.polls > 0, monotonicMs() + PATIENCE_MS);
  await stage.wait(2 * quietMs(stage.times));
  return stage.watch.mostHeld(quietMs(stage.times));
}
