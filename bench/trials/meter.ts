import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../../src/base/clock.js';
import { parseNetCounters, readProc } from '../../src/observe/proc/counters.js';
import { useOfTree } from '../../src/observe/proc/process.js';

/** Connection attempts of a window, and what they cost. */
export interface Attempts {
  /** By the kernel's count, and the machine's clock. */
  perSecond: number;
  /** Per second of processor time that the client's process tree took, user and system. */
  perCpuSecond: number;
}

/** Connection attempts in this arena since it began (Tcp ActiveOpens: one a SYN). */
export function activeOpens(): number {
  const opens = parseNetCounters(readProc('/proc/self/net/snmp') ?? '', 'Tcp').get('ActiveOpens');
  if (opens === undefined) throw new Error('no ActiveOpens in /proc/net/snmp');
  return opens;
}

/**
 * One ruler for every client: what the kernel counted, by the processor time of the client's tree.
 * @throws Error when the client ends meanwhile, or makes nothing
 */
export async function meter(pid: number, seconds: number): Promise<Attempts> {
  const before = reading(pid);
  await sleep(seconds * 1e3);
  const after = reading(pid);
  const opens = after.opens - before.opens;
  const cpuSeconds = after.cpuSeconds - before.cpuSeconds;
  if (opens <= 0 || cpuSeconds <= 0) throw new Error('the client made no attempt');
  return {
    perSecond: opens / ((after.atMs - before.atMs) / 1e3),
    perCpuSecond: opens / cpuSeconds,
  };
}

function reading(pid: number): { atMs: number; opens: number; cpuSeconds: number } {
  const use = useOfTree(pid);
  if (!use) throw new Error('the client has ended');
  return { atMs: monotonicMs(), opens: activeOpens(), cpuSeconds: use.cpuSeconds };
}
