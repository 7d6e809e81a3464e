import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { LaneNetwork } from './network/network.js';
import type { LaneSpec } from './spec.js';

/** The token that the orchestrator sends with every `/init` of a run. */
export const ACCESS_TOKEN = 'envd-bench-access-token';

/** The token of the agent's snapshot where it is not the one that the orchestrator sends. */
const OLD_TOKEN = 'envd-bench-token-of-the-snapshot';

/** What an agent's command line depends on. */
export type AgentStart = Pick<LaneSpec, 'agent' | 'poller' | 'auth' | 'bootPoller'> & {
  guest: Pick<LaneSpec['guest'], 'cpus'>;
  /** A reference agent's lifetime of a poller and its tick, ms; those of envd when left out. */
  times?: { lifetimeMs: number; tickMs: number };
};

/** The command line of a lane's agent, held to the guest's number of processors. */
export function agentCommand(spec: AgentStart, network: LaneNetwork): string[] {
  const { agent, guest } = spec;
  return [
    ...pinned(guest.cpus),
    ...(agent.kind === 'external'
      ? agent.command
      : referenceAgentCommand(agent.guard, spec, network)),
  ];
}

function referenceAgentCommand(guard: string, spec: AgentStart, network: LaneNetwork): string[] {
  return [
    process.execPath,
    fileURLToPath(new URL('../agents/process.js', import.meta.url)),
    `--guard=${guard}`,
    `--poller=${spec.poller}`,
    `--host=${network.mmdsSide.kind === 'netns' ? '0.0.0.0' : network.agent.host}`,
    `--port=${network.agent.port}`,
    `--mmds-host=${network.mmds.host}`,
    `--mmds-port=${network.mmds.port}`,
    `--access-token=${spec.auth === 'stored' ? ACCESS_TOKEN : OLD_TOKEN}`,
    ...(spec.bootPoller ? ['--boot-poller'] : []),
    ...(spec.times
      ? [`--lifetime-ms=${spec.times.lifetimeMs}`, `--tick-ms=${spec.times.tickMs}`]
      : []),
    ...(network.mmdsSide.kind === 'netns' ? ['--run-dir=/run/e2b'] : ['--end-with-stdin']),
  ];
}

/** Holds the agent to the guest's number of processors, where this machine has more. */
function pinned(cpus: number | null): string[] {
  if (cpus === null || cpus >= usableCpus().length) return [];
  return ['taskset', '--cpu-list', guestCpus(cpus).join(',')];
}

/** The processors that the agent is held to. @param cpus as many as the guest has; null: all */
export function guestCpus(cpus: number | null): number[] {
  return usableCpus().slice(0, cpus ?? undefined);
}

/** The processors that this process may use (proc_pid_status(5), Cpus_allowed_list). */
export function usableCpus(): number[] {
  const status = readFileSync('/proc/self/status', 'utf8');
  const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(status)?.[1] ?? '0';
  return list.split(',').flatMap((part) => {
    const [from = 0, to = from] = part.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, i) => from + i);
  });
}
