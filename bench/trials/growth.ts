import { setTimeout as sleep } from 'node:timers/promises';
import { useOfTree } from '../../src/observe/proc/process.js';
import { spawnPollers, startAgent } from './agent.js';
import { type Attempts, meter } from './meter.js';
import { trial } from './trial.js';

export interface GrowthInput {
  pollers: number;
  /** The processor that the agent is pinned to. */
  core: number;
  /** Before the window, and the window. */
  warmUpSeconds: number;
  seconds: number;
}

export interface Growth extends Attempts {
  /** Resident memory of the agent before its first poller, and at the end of the window. */
  rssBytesBefore: number;
  rssBytes: number;
}

const AGENT_PORT = 49_983;

/** Nothing listens there. */
const MMDS_PORT = 8080;

/** envd's own (internal/host/mmds.go). */
const TICK_MS = 50;

await trial(async (input: GrowthInput): Promise<Growth> => {
  const agent = await startAgent({
    poller: 'issue',
    mmdsPort: MMDS_PORT,
    port: AGENT_PORT,
    tickMs: TICK_MS,
    prefix: ['taskset', '--cpu-list', String(input.core)],
  });
  const rssBytesBefore = rssOf(agent.pid);
  await spawnPollers(agent, AGENT_PORT, input.pollers);
  await sleep(input.warmUpSeconds * 1e3);
  const attempts = await meter(agent.pid, input.seconds);
  const rssBytes = rssOf(agent.pid);
  const { descriptorFailures, pollersRunning } = agent.counters();
  if (descriptorFailures > 0) throw new Error('not enough file descriptors (ulimit -n)');
  if (pollersRunning !== input.pollers) throw new Error(`${pollersRunning} pollers are left`);
  return { ...attempts, rssBytesBefore, rssBytes };
});

function rssOf(pid: number): number {
  const use = useOfTree(pid);
  if (!use) throw new Error('the agent has ended');
  return use.rssBytes;
}
