import type { Machine } from '../../results/schema.js';
import { thisMachine } from '../machine.js';
import { type Check, limited, ok } from './check.js';

/** An agent with 600 pollers takes most of one; MMDS, driver and sampler share the other. */
const ENOUGH = 2;

export const processors: Check = {
  name: 'processors',
  look: () => processorsFinding(thisMachine()),
};

export function processorsFinding({ cpus, hostCpus }: Pick<Machine, 'cpus' | 'hostCpus'>) {
  const text = `${cpus} of ${hostCpus} (affinity and cgroup quota taken into account)`;
  return cpus >= ENOUGH
    ? ok(text)
    : limited(
        `${text}: 600 pollers and what watches them need ${ENOUGH}`,
        'Give it two processors (taskset, cpu.max of the cgroup), or a longer --interval; run marks what could not follow',
      );
}
