import { monotonicMs } from '../base/clock.js';
import { Failure, Unobservable } from './errors.js';
import { identity } from './identity.js';
import { carries } from './mmds-watch.js';
import type { Stage } from './stage.js';
import { PATIENCE_MS, quietMs } from './times.js';

/** The identity that MMDS has when the agent starts. */
const FIRST = identity(0);

/**
 * What every sandbox has gone through before a scenario begins: one `/init` with a healthy MMDS,
 * which settles the access token and ends envd's poller of the boot.
 * @throws Failure when that does not deliver the identity
 * @throws Unobservable when the agent does not say which it has
 */
export async function warmUp(stage: Stage): Promise<void> {
  await stage.acceptedInit();
  const deadlineMs = monotonicMs() + 10 * stage.times.tickMs + PATIENCE_MS;
  if (!(await stage.delivered(FIRST, deadlineMs))) throw await whyNotDelivered(stage);
  if (!(await stage.quiet(monotonicMs() + PATIENCE_MS + quietMs(stage.times)))) {
    throw new Failure('the agent went on polling a healthy MMDS after its identity had arrived');
  }
  stage.watch.restart();
}

async function whyNotDelivered(stage: Stage): Promise<Error> {
  const begin = 'after an /init with a healthy MMDS';
  if (stage.watch.polls === 0) {
    return new Failure(`${begin} the agent made no attempt to reach it: it does not poll at all`);
  }
  const { sandboxId } = await stage.identity();
  if (sandboxId === undefined && stage.watch.answer(carries(FIRST.sandboxId))) {
    return new Unobservable('neither /envs nor /run/e2b says which identity this agent has');
  }
  return new Failure(`${begin} the agent did not take its identity`);
}
