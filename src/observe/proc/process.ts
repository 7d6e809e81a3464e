import { readdirSync } from 'node:fs';
import { readProc } from './counters.js';

/** What a process tree has used. */
export interface ProcessUse {
  cpuSeconds: number;
  rssBytes: number;
  threads: number;
  /** Null where it may not be looked at. */
  openFiles: number | null;
}

/** Clock ticks per second of /proc/PID/stat: 100 on every Linux that Node runs on (USER_HZ). */
const USER_HZ = 100;

/**
 * CPU time (user and system) and threads of a process, from `/proc/PID/stat`.
 * @returns undefined when the process is gone
 */
export function parseProcessStat(
  text: string,
): Pick<ProcessUse, 'cpuSeconds' | 'threads'> | undefined {
  // The second field, the command in brackets, may hold anything: fields count from its end.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [utime, stime, threads] = [11, 12, 17].map((at) => Number(fields[at]));
  if (utime === undefined || stime === undefined || threads === undefined) return undefined;
  if (![utime, stime, threads].every((one) => Number.isSafeInteger(one))) return undefined;
  return { cpuSeconds: (utime + stime) / USER_HZ, threads };
}

/**
 * Resident memory of a process in bytes, from `/proc/PID/status`: in kB there, whatever the size of
 * this kernel's pages. A process that is ending has none.
 */
export function parseResident(text: string): number {
  return Number(/^VmRSS:\s+(\d{1,12}) kB$/m.exec(text)?.[1] ?? 0) * 1024;
}

/** Whether a process is stopped by a signal (state T), as SIGSTOP does; false when it is gone. */
export function isStopped(pid: number): boolean {
  const stat = readProc(`/proc/${pid}/stat`) ?? '';
  return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T ');
}

/** The processes that `pid` started and that live. Needs CONFIG_PROC_CHILDREN, as distributions set it. */
export function childrenOf(pid: number): number[] {
  let threads: string[];
  try {
    threads = readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
  return threads.flatMap((thread) =>
    (readProc(`/proc/${pid}/task/${thread}/children`) ?? '')
      .split(' ')
      .filter((word) => word !== '')
      .map(Number),
  );
}

/** `pid` and all that descend from it; none for undefined. */
export function treeOf(pid: number | undefined): number[] {
  const found: number[] = [];
  if (pid === undefined) return found;
  for (const next = [pid]; next.length > 0 && found.length < 4096; ) {
    const one = next.pop();
    if (one === undefined || found.includes(one)) continue;
    found.push(one);
    next.push(...childrenOf(one));
  }
  return found;
}

/** Open files of a process; null where it may not be looked at. */
function openFilesOf(pid: number): number | null {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return null;
  }
}

/** The sum over a process tree; undefined when none of it is left. */
export function useOfTree(pid: number): ProcessUse | undefined {
  let sum: ProcessUse | undefined;
  for (const one of treeOf(pid)) {
    const use = parseProcessStat(readProc(`/proc/${one}/stat`) ?? '');
    if (!use) continue;
    const openFiles = openFilesOf(one);
    sum = {
      cpuSeconds: (sum?.cpuSeconds ?? 0) + use.cpuSeconds,
      rssBytes: (sum?.rssBytes ?? 0) + parseResident(readProc(`/proc/${one}/status`) ?? ''),
      threads: (sum?.threads ?? 0) + use.threads,
      openFiles: openFiles === null ? (sum?.openFiles ?? null) : (sum?.openFiles ?? 0) + openFiles,
    };
  }
  return sum;
}
