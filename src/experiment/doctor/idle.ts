import { loadavg } from 'node:os';
import { thisMachine } from '../machine.js';
import { type Check, limited, ok } from './check.js';

export const idle: Check = {
  name: 'idle',
  look: () => idleFinding(loadavg()[0] ?? 0, thisMachine().cpus),
};

/**
 * @param load tasks that ran or waited to, in the mean of the last minute
 * @param cpus what a run may use
 */
export function idleFinding(load: number, cpus: number) {
  const text = `load ${load.toFixed(2)} in the last minute, for ${cpus} processors`;
  // What others take of half the machine an agent under storm does not get.
  return load <= cpus / 2
    ? ok(text)
    : limited(
        `${text}: others are at work`,
        'Wait until they are done; run marks what could not follow',
      );
}
