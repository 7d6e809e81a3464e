import { monotonicMs } from '../../base/clock.js';
import { MissedMoment } from '../errors.js';
import { inWords } from '../identity.js';
import { fail, pass, type Scenario } from '../scenario.js';
import { warmUp } from '../warm-up.js';

/** How long before the first poller's deadline the last `/init` comes, as a share of its life. */
const NEAR_END = 0.3;
const NEAREST_MS = 5_000;

/** How long after that deadline MMDS becomes ready: no poller is so late in ending. */
const AFTER = 0.25;
const LATEST_MS = 2_000;

export const lateReady: Scenario = {
  name: 'late-ready',
  summary:
    'an /init near the end of a poller, MMDS ready after that end: does the identity still arrive?',
  run: async (stage) => {
    await warmUp(stage);
    const { lifetimeMs, tickMs } = stage.times;
    await stage.setFault('http-error');
    const next = await stage.nextIdentity();
    stage.watch.restart();
    const first = await stage.acceptedInit();
    const lastDueMs = first.sentMs + lifetimeMs - Math.min(NEAR_END * lifetimeMs, NEAREST_MS);
    await stage.wait(lastDueMs - monotonicMs());
    stage.step('the last /init, near the end of the first poller');
    const last = await stage.acceptedInit();
    if (last.endedMs >= first.sentMs + lifetimeMs - 2 * tickMs) {
      throw new MissedMoment('the last /init came after the end of the first poller');
    }
    const readyDueMs = first.endedMs + lifetimeMs + Math.min(AFTER * lifetimeMs, LATEST_MS);
    await stage.wait(readyDueMs - monotonicMs());
    stage.step('the first poller has reached its deadline');
    await stage.setFault('none');
    const deadlineMs = last.sentMs + lifetimeMs;
    if (monotonicMs() > deadlineMs - 10 * tickMs) {
      throw new MissedMoment('MMDS became ready after the time of the last /init too');
    }
    stage.watch.restart();
    if (await stage.delivered(next, deadlineMs + 2 * tickMs)) {
      return pass(`${inWords(next)} arrived, for the sake of the last /init`);
    }
    const span = `${seconds(deadlineMs - readyDueMs)} s were left of the last /init's ${seconds(lifetimeMs)} s`;
    return fail(
      stage.watch.polls === 0
        ? `nobody was left polling when MMDS became ready, though ${span}`
        : `${inWords(next)} did not arrive, though ${span}`,
    );
  },
};

function seconds(ms: number): number {
  return Math.round(ms / 100) / 10;
}
