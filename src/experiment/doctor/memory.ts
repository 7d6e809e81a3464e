import { formatSize } from '../../base/size.js';
import { readProc } from '../../observe/proc/counters.js';
import { thisMachine } from '../machine.js';
import { type Check, limited, ok } from './check.js';

/** Two lanes of three Node processes, the unguarded agent with 600 pollers, and the command: with room to spare. */
const STORM_BYTES = 768 * 2 ** 20;

export const memory: Check = {
  name: 'memory',
  look: () => memoryFinding(readProc('/proc/meminfo') ?? '', thisMachine().memoryBytes),
};

/** @param meminfo /proc/meminfo; @param limit what the machine or the cgroup has */
export function memoryFinding(meminfo: string, limit: number) {
  const availableKb = Number(/^MemAvailable:\s+(\d+) kB$/m.exec(meminfo)?.[1]);
  const free = Math.min(limit, Number.isFinite(availableKb) ? availableKb * 1024 : limit);
  const text = `${formatSize(free)} available, the storm needs up to ${formatSize(STORM_BYTES)}`;
  return free >= STORM_BYTES
    ? ok(text)
    : limited(text, 'Free some, or run --sequential: an agent without memory is killed in mid-run');
}
