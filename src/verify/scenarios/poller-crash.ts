import { mkdirSync, rmSync } from 'node:fs';
import { monotonicMs } from '../../base/clock.js';
import { inWords } from '../identity.js';
import { carries } from '../mmds-watch.js';
import { fail, pass, type Scenario, skip } from '../scenario.js';
import { PATIENCE_MS } from '../times.js';
import { warmUp } from '../warm-up.js';

/** Where envd keeps its identity (internal/host/mmds.go). */
const FILE = '/run/e2b/.E2B_SANDBOX_ID';

/**
 * A folder in the place of the file that a poll writes at its end: the poll of a reference agent
 * throws there. envd's own reports the error and goes on, and nothing from outside makes it throw:
 * a program can fail here, but not pass.
 */
export const pollerCrash: Scenario = {
  name: 'poller-crash',
  summary: 'the poll throws: the next /init polls again',
  run: async (stage) => {
    const { tickMs } = stage.times;
    await warmUp(stage);
    const file = stage.process.pathOf(FILE);
    if (file === undefined) {
      return skip('on loopback an agent keeps no files, and nothing else makes its poll throw');
    }
    const lost = await stage.nextIdentity();
    rmSync(file, { force: true });
    mkdirSync(file, { recursive: true });
    stage.step(`a folder is in the way at ${FILE}`);
    stage.watch.restart();
    await stage.acceptedInit();
    const answered = await stage.until(
      () => stage.watch.answer(carries(lost.sandboxId)) !== undefined,
      monotonicMs() + 2 * tickMs + PATIENCE_MS,
    );
    if (!answered) return fail('an /init with a healthy MMDS did not fetch the identity');
    await stage.quiet(monotonicMs() + PATIENCE_MS);
    rmSync(file, { recursive: true, force: true });
    stage.step('nothing is in the way any more');
    const next = await stage.nextIdentity();
    stage.watch.restart();
    await stage.acceptedInit();
    if (!(await stage.delivered(next, monotonicMs() + 2 * tickMs + PATIENCE_MS))) {
      return fail(
        stage.watch.polls === 0
          ? 'after a poll that could not keep what it found the next /init did not poll'
          : `after a poll that could not keep what it found ${inWords(next)} did not arrive`,
      );
    }
    return stage.spec.agent.kind === 'reference'
      ? pass('after a poll that threw the next /init polled again')
      : skip(
          'nothing from outside makes the poll of a program throw; after one that could not ' +
            'write its file the next /init polled again',
        );
  },
};
