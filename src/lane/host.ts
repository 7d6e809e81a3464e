import { messageOf } from '../base/errors.js';
import { Lane } from './lane.js';
import type { LaneCommand, LaneMessage } from './messages.js';
import { laneSpecSchema } from './spec.js';

/**
 * The process of one lane: the first process of its namespaces, or a plain child in loopback
 * isolation. It ends when whoever started it is gone.
 */
function send(message: LaneMessage): void {
  if (process.connected) process.send?.(message);
}

let lane: Lane | undefined;

async function obey(command: LaneCommand): Promise<void> {
  if (command.type === 'start') {
    lane = new Lane(laneSpecSchema.parse(command.spec), (sample) =>
      send({ type: 'sample', sample }),
    );
    await lane.setUp();
    send({ type: 'ready' });
  } else if (command.type === 'go') {
    const outcome = await lane?.run(command.startMs);
    if (lane && outcome) {
      send({ type: 'outcome', outcome, isWhole: lane.wasWhole, notes: lane.notes });
    }
    await end();
  } else {
    lane?.stop();
  }
}

async function end(): Promise<void> {
  await lane?.tearDown();
  // Waits until the last message is out.
  if (process.connected) process.disconnect();
  process.exit(0);
}

process.on('message', (command: LaneCommand) => {
  obey(command).catch((thrown) => {
    send({ type: 'failed', message: messageOf(thrown) });
    void end();
  });
});
process.on('disconnect', () => void end());
// Whoever started the lane may be gone before this line.
if (!process.connected) void end();
// The terminal's Ctrl-C is the main process's business: it tells its lanes to stop.
process.on('SIGINT', () => {});
