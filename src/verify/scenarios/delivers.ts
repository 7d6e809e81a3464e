import { monotonicMs } from '../../base/clock.js';
import { inWords } from '../identity.js';
import { carries } from '../mmds-watch.js';
import { fail, pass, type Scenario } from '../scenario.js';
import { PATIENCE_MS } from '../times.js';
import { warmUp } from '../warm-up.js';

/** Polls that an agent may need once MMDS is back. */
const WITHIN_POLLS = 2;

export const delivers: Scenario = {
  name: 'delivers',
  summary: 'MMDS returns in mid-outage: the right identity arrives within two ticks',
  run: async (stage) => {
    await warmUp(stage);
    const { tickMs } = stage.times;
    // A poll that is answered in vain is seen, which one that is refused is not.
    await stage.setFault('http-error');
    const next = await stage.nextIdentity();
    stage.watch.restart();
    await stage.acceptedInit();
    const seen = await stage.until(
      () => stage.watch.polls >= 5,
      monotonicMs() + 5 * tickMs + PATIENCE_MS,
    );
    if (!seen)
      return fail(`only ${stage.watch.polls} polls were seen in the outage after an /init`);
    await stage.setFault('none');
    stage.watch.restart();
    const backMs = monotonicMs();
    // Ticks are counted, not timed: a busy machine may be late, an agent may not leave one out.
    const arrived = await stage.delivered(next, backMs + WITHIN_POLLS * tickMs + PATIENCE_MS);
    const polls = stage.watch.polls;
    if (!arrived) {
      return fail(`MMDS came back, and after ${polls} more polls ${inWords(next)} has not arrived`);
    }
    const answer = stage.watch.answer(carries(next.sandboxId));
    const after = Math.max(0, Math.round((answer?.atMs ?? monotonicMs()) - backMs));
    const when = `${inWords(next)} arrived ${after} ms after MMDS was back, with poll ${polls}`;
    return polls > WITHIN_POLLS ? fail(`${when}, not within ${WITHIN_POLLS} ticks`) : pass(when);
  },
};
