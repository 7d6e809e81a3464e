import { monotonicMs } from '../../base/clock.js';
import { inWords } from '../identity.js';
import { fail, pass, type Scenario } from '../scenario.js';
import { PATIENCE_MS } from '../times.js';
import { warmUp } from '../warm-up.js';

/** On resume the VM runs before its metadata is put (DESIGN 3.2): this answer comes in real life. */
export const emptyStore: Scenario = {
  name: 'empty-store',
  summary: 'MMDS answers null, as before any data was put: no empty identity may be taken',
  run: async (stage) => {
    await warmUp(stage);
    const { lifetimeMs, tickMs } = stage.times;
    await stage.emptyStore();
    stage.watch.restart();
    const init = await stage.acceptedInit();
    const answered = await stage.until(
      () => stage.watch.answer(({ body }) => body === 'null') !== undefined,
      monotonicMs() + 2 * tickMs + PATIENCE_MS,
    );
    if (!answered) return fail('an /init with an empty store did not ask for the metadata');
    await stage.wait(4 * tickMs);
    const taken = await stage.identity();
    if (!taken.sandboxId || !taken.templateId) {
      return fail(`it took null for an answer: its identity is ${inWords(taken)}`);
    }
    const next = await stage.nextIdentity();
    if (await stage.delivered(next, init.endedMs + lifetimeMs + PATIENCE_MS)) {
      return pass(`it asked again until the store was filled: ${inWords(next)}`);
    }
    return fail(`the store was filled, and it stays ${inWords(taken)} without another /init`);
  },
};
