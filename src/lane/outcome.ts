import type { Reading } from '../observe/reading.js';
import type { DriverReport } from '../orchestrator/driver.js';
import type { AgentCount } from '../results/schema.js';
import type { LaneOutcome } from './messages.js';
import type { AgentPart } from './parts/agent-part.js';
import type { Sampler } from './sampler.js';
import type { LaneSpec } from './spec.js';

/** All that a lane has seen when its outage is over. */
export interface Seen {
  spec: LaneSpec;
  report: DriverReport;
  sampler: Sampler;
  agent: AgentPart;
  /** The last reading, taken when the agent no longer polls. */
  reading: Reading;
  trouble: string | null;
  setupMs: number | null;
}

/** Puts a lane's part of the result together. What was not measured is null. */
export function laneOutcome(seen: Seen): LaneOutcome {
  const { spec, report, sampler, agent, reading, trouble, setupMs } = seen;
  const { counters } = agent;
  const hasKernel = reading.activeOpens !== null;
  return {
    agent: spec.agent.name,
    guard: spec.agent.guard,
    kind: 'reference',
    version: report.version,
    trouble,
    pollers: {
      peak: counters?.pollersPeak ?? null,
      spawned: counters?.pollersSpawned ?? null,
      source: counters ? 'agent' : null,
    },
    connections: {
      total: reading.activeOpens ?? (counters ? counters.attempts - counters.localFailures : null),
      perSecondPeak: sampler.rate.peak,
      localFailures: counters?.localFailures ?? null,
      source: hasKernel ? 'kernel' : counters ? 'agent' : null,
    },
    ports: {
      capacity: agent.process.limits.ports,
      peak: sampler.ports.peak,
      exhaustedAtMs: sampler.ports.exhaustedAtMs,
      kneeAtMs: sampler.ports.kneeAtMs,
    },
    kernel: {
      attemptFails: reading.attemptFails,
      timeWaitOverflow: reading.timeWaitOverflow,
      timeWaitPeak: sampler.ports.timeWaitPeak,
      timeWaitLimit: agent.process.limits.timeWait,
    },
    agentCount: counters && agentCount(counters),
    identity: null,
    init: report.init,
    health: report.health,
    headroom: null,
    process: {
      cpuSeconds: sampler.use?.cpuSeconds ?? null,
      rssPeakBytes: sampler.rssPeakBytes,
      threadsPeak: null,
      openFilesPeak: null,
      goroutines: null,
    },
    setupMs,
    series: sampler.recorder.series(),
  };
}

function agentCount(counters: NonNullable<AgentPart['counters']>): AgentCount {
  const {
    pollersRunning: _running,
    pollersPeak: _peak,
    pollersSpawned: _spawned,
    ...rest
  } = counters;
  return rest;
}
