import { messageOf } from '../base/errors.js';
import { lookUp } from '../base/nearest.js';
import { AgentDied, Failure, MissedMoment, Unobservable } from './errors.js';
import type { StageCommand, StageMessage } from './messages.js';
import { fail, type Outcome, type Scenario, skip } from './scenario.js';
import { scenarios } from './scenarios/index.js';
import { Stage } from './stage.js';

/**
 * The process of one stage: the first process of its namespaces, or a plain child in loopback
 * isolation. It plays one scenario, tells what it has shown, and ends; also when whoever started it
 * is gone.
 */
let stage: Stage | undefined;

async function play({ spec, scenario: name }: StageCommand): Promise<StageMessage> {
  const scenario = lookUp('scenario', name, scenarios);
  try {
    stage = await Stage.build(spec, scenario.firstFault ?? 'none');
  } catch (thrown) {
    return { type: 'failed', message: messageOf(thrown) };
  }
  try {
    const outcome = await outcomeOf(scenario, stage);
    return { type: 'shown', outcome, timeline: stage.timeline.lines(), version: stage.version };
  } catch (thrown) {
    if (thrown instanceof MissedMoment) return { type: 'missed', message: thrown.message };
    throw thrown;
  }
}

async function outcomeOf(scenario: Scenario, on: Stage): Promise<Outcome> {
  try {
    return await scenario.run(on);
  } catch (thrown) {
    if (thrown instanceof Unobservable) return skip(thrown.message);
    if (thrown instanceof Failure || thrown instanceof AgentDied) return fail(thrown.message);
    throw thrown;
  }
}

async function end(): Promise<void> {
  await stage?.tearDown();
  // Waits until the last message is out.
  if (process.connected) process.disconnect();
  process.exit(0);
}

process.on('message', (command: StageCommand) => {
  play(command)
    .catch((thrown): StageMessage => ({ type: 'failed', message: messageOf(thrown) }))
    .then((message) => {
      if (process.connected) process.send?.(message);
      return end();
    });
});
process.on('disconnect', () => void end());
// Whoever started the stage may be gone before this line.
if (!process.connected) void end();
// The terminal's Ctrl-C is the main process's business: it ends its stages.
process.on('SIGINT', () => {});
