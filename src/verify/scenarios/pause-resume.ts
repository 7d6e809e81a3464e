import { monotonicMs } from '../../base/clock.js';
import { inWords } from '../identity.js';
import { fail, pass, type Scenario } from '../scenario.js';
import { PATIENCE_MS } from '../times.js';
import { warmUp } from '../warm-up.js';

const CYCLES = 3;

export const pauseResume: Scenario = {
  name: 'pause-resume',
  summary: 'stopped while it polls, then resumed as another sandbox, three times over',
  run: async (stage) => {
    await warmUp(stage);
    const { tickMs } = stage.times;
    for (let cycle = 1; cycle <= CYCLES; cycle++) {
      const where = `cycle ${cycle} of ${CYCLES}`;
      // Held back, a poll is still under way when the agent is stopped; and pollers can be counted.
      await stage.setFault('hang');
      stage.watch.restart();
      await stage.acceptedInit();
      const isPolling = await stage.until(
        () => stage.watch.polls > 0,
        monotonicMs() + 2 * tickMs + PATIENCE_MS,
      );
      if (!isPolling) return fail(`${where}: the /init before the pause did not poll`);
      if (stage.watch.open > 1) {
        return fail(`${where}: ${stage.watch.open} pollers after one /init: they outlive a pause`);
      }
      stage.pause();
      await stage.emptyStore();
      await stage.setFault('none');
      await stage.wait(4 * tickMs);
      const next = await stage.nextIdentity();
      stage.resume();
      await stage.acceptedInit();
      if (!(await stage.delivered(next, monotonicMs() + 10 * tickMs + PATIENCE_MS))) {
        const is = inWords(await stage.identity());
        return fail(`${where}: after the resume it is ${is}, not ${inWords(next)}`);
      }
      if (!(await stage.quiet(monotonicMs() + 2 * PATIENCE_MS))) {
        return fail(`${where}: it polls on after ${inWords(next)} has arrived`);
      }
      if (!(await stage.has(next))) {
        return fail(`${where}: it went back to ${inWords(await stage.identity())}`);
      }
    }
    return pass(`each of ${CYCLES} times the new identity arrived, and no poller was left over`);
  },
};
