import { monotonicMs } from '../../base/clock.js';
import { inWords } from '../identity.js';
import { fail, pass, type Scenario } from '../scenario.js';
import { PATIENCE_MS } from '../times.js';
import { warmUp } from '../warm-up.js';

export const repollAfterSuccess: Scenario = {
  name: 'repoll-after-success',
  summary: 'after a poller that was answered, the next /init fetches what is there now',
  run: async (stage) => {
    // The warm-up's poller has ended with an answer; each round puts another identity there.
    await warmUp(stage);
    for (const round of ['first', 'second']) {
      const next = await stage.nextIdentity();
      await stage.acceptedInit();
      const deadlineMs = monotonicMs() + 2 * stage.times.tickMs + PATIENCE_MS;
      if (!(await stage.delivered(next, deadlineMs))) {
        return fail(
          stage.watch.polls === 0
            ? `the ${round} /init after a poller that was answered did not poll`
            : `the ${round} /init after a poller that was answered did not fetch ${inWords(next)}`,
        );
      }
      if (!(await stage.quiet(deadlineMs + PATIENCE_MS))) {
        return fail(`it polls on after ${inWords(next)} has arrived`);
      }
      stage.watch.restart();
    }
    return pass('each of two later /init polled again and fetched the new identity');
  },
};
