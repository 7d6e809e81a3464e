import { LaneProcess } from '../lane/lane-process.js';
import type { Shown, StageCommand, StageMessage } from './messages.js';
import { fail, type Scenario, skip } from './scenario.js';
import type { StageSpec } from './stage.js';
import { timesOf } from './times.js';

const HOST = new URL('./host.js', import.meta.url);

/** How often a scenario is tried on a machine that is too slow for its moments. */
const MOST_TRIES = 3;

/** No scenario takes longer than four lives of a poller and this, ms. */
const MOST_MS = 120_000;

/** The stage could not be built: the agent does not start, or the machine cannot hold it. */
export class StageFailed extends Error {
  override readonly name = 'StageFailed';
}

/**
 * Plays one scenario on a stage of its own.
 * @param signal aborted to end it at once
 * @returns what it has shown; undefined when it was ended
 * @throws StageFailed with the reason in one line
 */
export async function tryScenario(
  scenario: Scenario,
  spec: StageSpec,
  signal: AbortSignal,
): Promise<Shown | undefined> {
  let missed = '';
  for (let i = 0; i < MOST_TRIES && !signal.aborted; i++) {
    const message = await play(scenario, spec, signal);
    if (signal.aborted) return undefined;
    if (message.type === 'shown') return message;
    if (message.type === 'failed') throw new StageFailed(message.message);
    missed = message.message;
  }
  if (signal.aborted) return undefined;
  const outcome = skip(`this machine was too slow, ${MOST_TRIES} times over: ${missed}`);
  return { outcome, timeline: [], version: null };
}

async function play(
  scenario: Scenario,
  spec: StageSpec,
  signal: AbortSignal,
): Promise<StageMessage> {
  let message: StageMessage | undefined;
  const stage = new LaneProcess<StageCommand, StageMessage>(HOST, spec.isolation, (told) => {
    message ??= told;
  });
  const limitMs = 4 * timesOf(spec.agent).lifetimeMs + MOST_MS;
  const kill = (): void => stage.kill();
  const timer = setTimeout(() => {
    const outcome = fail(`the scenario had not ended after ${Math.round(limitMs / 1e3)} s`);
    message ??= { type: 'shown', outcome, timeline: [], version: null };
    kill();
  }, limitMs);
  signal.addEventListener('abort', kill);
  if (signal.aborted) kill();
  stage.send({ spec, scenario: scenario.name });
  const { how } = await stage.ended;
  clearTimeout(timer);
  signal.removeEventListener('abort', kill);
  return message ?? { type: 'failed', message: `the stage's process ${how}` };
}
