import { monotonicMs } from '../../base/clock.js';
import { MissedMoment } from '../errors.js';
import { inWords } from '../identity.js';
import { carries } from '../mmds-watch.js';
import { fail, pass, type Scenario } from '../scenario.js';
import { PATIENCE_MS } from '../times.js';
import { warmUp } from '../warm-up.js';

/** How late MMDS answers, as a share of a poller's life; not so late that the request gives up. */
const DELAY = 0.2;
const LONGEST_DELAY_MS = 2_000;

export const staleIdentity: Scenario = {
  name: 'stale-identity',
  summary: 'the identity changes while the old one is on its way: the agent must end with the new',
  run: async (stage) => {
    await warmUp(stage);
    const { lifetimeMs, tickMs } = stage.times;
    const delayMs = Math.min(DELAY * lifetimeMs, LONGEST_DELAY_MS);
    const old = await stage.nextIdentity();
    await stage.setFault('slow', { delayMs });
    stage.watch.restart();
    await stage.acceptedInit();
    const onItsWay = await stage.until(
      () => stage.watch.metadataAsked > 0,
      monotonicMs() + 2 * tickMs + delayMs + PATIENCE_MS,
    );
    if (!onItsWay) return fail('an /init with a slow MMDS did not poll it');
    // As on resume: the metadata is replaced, and the orchestrator calls /init.
    const next = await stage.nextIdentity();
    const init = await stage.acceptedInit();
    await stage.wait(delayMs);
    const answer = stage.watch.answer(carries(old.sandboxId));
    if (!answer || answer.atMs <= init.endedMs) {
      throw new MissedMoment('the old identity had arrived before the /init');
    }
    await stage.quiet(init.endedMs + lifetimeMs + PATIENCE_MS);
    if (await stage.has(next)) return pass(`it ends with ${inWords(next)}, the new identity`);
    const is = inWords(await stage.identity());
    return fail(`it ends with ${is}; MMDS has had ${inWords(next)} since before the last /init`);
  },
};
