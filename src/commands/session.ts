import { chooseIsolation, type Isolation } from '../experiment/isolation.js';
import { createProgress, type Progress } from '../report/progress.js';
import { Interrupts } from './interrupts.js';

/** What every command that runs lanes begins with. */
export interface Session {
  isolation: Isolation;
  progress: Progress;
  signals: Interrupts;
}

/**
 * Decides on the isolation, and listens for Ctrl-C.
 * @param isolation as it was typed
 * @throws UsageError when the isolation that was asked for cannot be had
 */
export async function openSession(isolation: string): Promise<Session> {
  const chosen = await chooseIsolation(isolation);
  const progress = createProgress(process.stderr, {
    isTTY: process.stderr.isTTY === true,
    env: process.env,
  });
  const signals = new Interrupts(() =>
    progress.say('interrupted: saving what there is (again to leave at once)'),
  );
  if (chosen.reason) progress.say(`isolation: ${chosen.kind} (${chosen.reason})`);
  return { isolation: chosen, progress, signals };
}
