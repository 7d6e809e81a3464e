import { monotonicMs } from '../../base/clock.js';
import { inWords } from '../identity.js';
import { fail, pass, type Scenario } from '../scenario.js';
import { PATIENCE_MS } from '../times.js';
import { warmUp } from '../warm-up.js';

export const repollAfterTimeout: Scenario = {
  name: 'repoll-after-timeout',
  summary: 'after a poller that reached its deadline, the next /init fetches what is there now',
  run: async (stage) => {
    await warmUp(stage);
    const { lifetimeMs, tickMs } = stage.times;
    await stage.setFault('http-error');
    stage.watch.restart();
    const first = await stage.acceptedInit();
    const deadlineMs = first.endedMs + lifetimeMs;
    await stage.wait(deadlineMs - monotonicMs());
    if (stage.watch.polls === 0) return fail('an /init in the outage did not poll');
    if (!(await stage.quiet(deadlineMs + PATIENCE_MS))) {
      return fail(`a poller still polls ${PATIENCE_MS / 1e3} s after its deadline`);
    }
    stage.step('the poller has reached its deadline');
    const next = await stage.nextIdentity();
    await stage.setFault('none');
    stage.watch.restart();
    await stage.acceptedInit();
    if (await stage.delivered(next, monotonicMs() + 2 * tickMs + PATIENCE_MS)) {
      return pass(`the next /init polled again and fetched ${inWords(next)}`);
    }
    return fail(
      stage.watch.polls === 0
        ? 'after a poller had reached its deadline the next /init did not poll'
        : `after a poller had reached its deadline the next /init did not fetch ${inWords(next)}`,
    );
  },
};
