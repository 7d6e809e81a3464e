import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { UsageError } from '../base/errors.js';
import { hasTool } from '../lane/network/command.js';
import { faults } from '../mmds/faults/index.js';
import { faultEffect, LIFETIME_MS } from '../model/facts.js';
import { readProc } from '../observe/proc/counters.js';
import type { Isolation } from './isolation.js';
import type { Scenario } from './scenario.js';

/** Descriptors that a process of a lane needs for itself. */
const OWN_FILES = 64;

/**
 * Refuses what cannot work here, before any lane starts.
 * @throws UsageError in one line with the mend
 */
export function preflight(scenario: Scenario, isolation: Isolation): void {
  if (isolation.kind === 'loopback') refuseOnLoopback(scenario, isolation);
  const need = openFilesNeeded(scenario);
  const limit = openFilesLimit();
  if (need > limit) {
    throw new UsageError(
      `this run needs ${need} open files in one process, and the limit is ${limit}`,
      `Raise it with ulimit -n ${need}, or give a longer --interval or a shorter --outage`,
    );
  }
  requirePinning(scenario);
  requireTasks(scenario.record.sequential ? 1 : scenario.agents.length);
}

/** @throws UsageError when agents cannot be held to the guest's processors */
function requirePinning({ record: { guest } }: Scenario): void {
  if (guest.cpus === null || guest.cpus >= availableParallelism() || hasTool('taskset')) return;
  throw new UsageError(
    `taskset is not installed, and a guest of ${guest.cpus} processors needs it here`,
    'Install util-linux, or give --guest-cpus host',
  );
}

/** @throws UsageError when this user may not start the processes of so many lanes at once */
function requireTasks(lanes: number): void {
  const need = tasksFor(lanes);
  const { limit, used } = taskLimit();
  if (used + need <= limit) return;
  throw new UsageError(
    `this run needs up to ${need} processes and threads, and of the ${limit} that this user may have ${used} are taken`,
    `Raise the limit with ulimit -u ${used + need}, or run fewer lanes at once: --sequential`,
  );
}

function refuseOnLoopback({ agents, faults: steps }: Scenario, { reason }: Isolation): void {
  const why = reason ? ` (${reason})` : '';
  const external = agents.find(({ kind }) => kind === 'external');
  if (external) {
    throw new UsageError(
      `agent ${external.name} is a program, and on loopback it would reach this machine's own network${why}`,
      'Use --isolation netns, or the built-in agents',
    );
  }
  for (const { fault } of steps) {
    const refusal = faults.get(fault.name)?.loopbackRefusal;
    if (refusal) {
      throw new UsageError(
        `fault ${fault.name} is not possible on loopback: ${refusal}${why}`,
        'Use --isolation netns, or another fault',
      );
    }
  }
}

/** Sockets that pollers hold open at once where MMDS neither answers nor refuses. */
function openFilesNeeded({ record, faults: steps, agents }: Scenario): number {
  const holds = steps.some(({ fault }) => {
    const effect = faultEffect(fault.name);
    return effect === 'hangs' || effect === undefined;
  });
  const piles = agents.some((agent) => agent.kind === 'external' || agent.guard === 'unguarded');
  if (!holds || !piles || record.retry !== 'fixed') return OWN_FILES;
  return openFilesFor(Math.ceil(Math.min(record.outageMs, LIFETIME_MS) / record.intervalMs));
}

/** Descriptors of a process whose pollers hold a socket each. */
export function openFilesFor(pollers: number): number {
  return pollers + OWN_FILES;
}

/** The hard limit: Node lifts the soft one to it by itself. */
export function openFilesLimit(): number {
  const line = /^Max open files\s+\S+\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
  return line?.[1] === 'unlimited' ? Number.POSITIVE_INFINITY : Number(line?.[1] ?? 0);
}

/**
 * Processes and threads of the main process and of a lane at their most. A Node process has 11 threads,
 * and a lane three of them, its driver's thread and four small processes: 38, counted on Node 20, plus
 * the tools that set it up.
 */
const MAIN_TASKS = 11;
const LANE_TASKS = 42;

/** Processes and threads that a run starts, this process included. */
export function tasksFor(lanes: number): number {
  return MAIN_TASKS + lanes * LANE_TASKS;
}

/** How many processes and threads this user may have (RLIMIT_NPROC), and how many others there are. */
export function taskLimit(): { limit: number; used: number } {
  const line = /^Max processes\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
  // The limit does not hold for root, but it does for one who is root in a user namespace only.
  const isRoot =
    process.getuid?.() === 0 && /^\s*0\s+0\s/.test(readProc('/proc/self/uid_map') ?? '');
  if (isRoot || line?.[1] === undefined || line[1] === 'unlimited') {
    return { limit: Number.POSITIVE_INFINITY, used: 0 };
  }
  return { limit: Number(line[1]), used: tasksOfOthers() };
}

/** Threads of this user's processes but for this one. */
function tasksOfOthers(): number {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .reduce((sum, pid) => {
      const status = readProc(`/proc/${pid}/status`) ?? '';
      const uid = /^Uid:\s+(\d+)/m.exec(status)?.[1];
      const threads = /^Threads:\s+(\d+)/m.exec(status)?.[1];
      return Number(uid) === process.getuid?.() ? sum + Number(threads) : sum;
    }, 0);
}
