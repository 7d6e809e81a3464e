import { readFileSync } from 'node:fs';
import { UsageError } from '../base/errors.js';
import { faults } from '../mmds/faults/index.js';
import { faultEffect, LIFETIME_MS } from '../model/facts.js';
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
  return Math.ceil(Math.min(record.outageMs, LIFETIME_MS) / record.intervalMs) + OWN_FILES;
}

/** The hard limit: Node lifts the soft one to it by itself. */
function openFilesLimit(): number {
  const line = /^Max open files\s+\S+\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
  return line?.[1] === 'unlimited' ? Number.POSITIVE_INFINITY : Number(line?.[1] ?? 0);
}
