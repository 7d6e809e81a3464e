import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, release, totalmem } from 'node:os';
import type { Machine } from '../results/schema.js';

/** The machine as this process may use it: affinity and cgroup limits taken into account. */
export function thisMachine(): Machine {
  const hostMemoryBytes = totalmem();
  const limit = process.constrainedMemory();
  return {
    kernel: release(),
    cpus: Math.min(availableParallelism(), cpuQuota() ?? Number.POSITIVE_INFINITY),
    memoryBytes: limit > 0 ? Math.min(limit, hostMemoryBytes) : hostMemoryBytes,
    hostCpus: cpus().length,
    hostMemoryBytes,
    node: process.version,
  };
}

/**
 * Processors that the cgroup allows, in v2 (cpu.max) or v1 (cpu.cfs_quota_us); null if unlimited.
 * @param read reads a file, or undefined where there is none
 */
export function cpuQuota(read = readText): number | null {
  const groups = read('/proc/self/cgroup') ?? '';
  const quotas: number[] = [];
  for (const line of groups.split('\n')) {
    const [, controllers = '', path = ''] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (controllers === '') {
      for (const folder of upwards('/sys/fs/cgroup', path)) {
        const [quota, period] = (read(`${folder}/cpu.max`) ?? '').trim().split(' ').map(Number);
        if (quota && period) quotas.push(quota / period);
      }
    } else if (controllers.split(',').includes('cpu')) {
      for (const folder of upwards('/sys/fs/cgroup/cpu', path)) {
        const quota = Number(read(`${folder}/cpu.cfs_quota_us`));
        const period = Number(read(`${folder}/cpu.cfs_period_us`));
        if (quota > 0 && period > 0) quotas.push(quota / period);
      }
    }
  }
  return quotas.length > 0 ? Math.min(...quotas) : null;
}

/** A cgroup's folder and all above it: the tightest limit holds. */
function upwards(root: string, path: string): string[] {
  const parts = path.split('/').filter((part) => part !== '');
  return [root, ...parts.map((_, i) => `${root}/${parts.slice(0, i + 1).join('/')}`)];
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
