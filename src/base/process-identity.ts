import { readFileSync, readlinkSync } from 'node:fs';
import { codeOf } from './errors.js';

/** Names one process for good: its number alone is given to another one later. */
export interface ProcessIdentity {
  pid: number;
  /** When it began, in clock ticks after the boot (field 22 of /proc/PID/stat). */
  startTicks: number;
  /** Which boot of which machine. */
  bootId: string;
  /** Within which the pid counts, e.g. `pid:[4026531836]`. */
  pidNamespace: string;
}

/** @throws the error of the file system where there is no /proc */
export function thisProcess(): ProcessIdentity {
  const stat = statOf('self');
  if (!stat) throw new Error('/proc/self/stat has not the fields of proc(5)');
  return { pid: process.pid, startTicks: stat.startTicks, ...here() };
}

/** Whether a process runs; undefined when that cannot be told from here: another machine or container. */
export function isRunning({ pid, startTicks, ...place }: ProcessIdentity): boolean | undefined {
  const ours = here();
  if (place.bootId !== ours.bootId || place.pidNamespace !== ours.pidNamespace) return undefined;
  try {
    const stat = statOf(String(pid));
    // A zombie has ended: only its parent has not looked yet.
    return stat !== undefined && stat.startTicks === startTicks && !/[ZX]/.test(stat.state);
  } catch {
    return isHidden(pid);
  }
}

function here(): Pick<ProcessIdentity, 'bootId' | 'pidNamespace'> {
  return {
    bootId: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
    pidNamespace: readlinkSync('/proc/self/ns/pid'),
  };
}

function statOf(pid: string): { state: string; startTicks: number } | undefined {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name before it is in brackets and may hold anything, brackets and spaces too.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const startTicks = Number(fields[19]);
  return Number.isSafeInteger(startTicks) ? { state: fields[0] ?? '', startTicks } : undefined;
}

/** With the mount option hidepid, /proc does not show the processes of other users: kill(2) does. */
function isHidden(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return codeOf(thrown) === 'EPERM';
  }
}
