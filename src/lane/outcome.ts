import type { Reading } from '../observe/reading.js';
import type { StackDump } from '../observe/stack-dump.js';
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
  identity: LaneOutcome['identity'];
  headroom: LaneOutcome['headroom'];
  trouble: string | null;
  setupMs: number | null;
}

/** Puts a lane's part of the result together. What was not measured is null. */
export function laneOutcome(seen: Seen): LaneOutcome {
  const { spec, report, sampler, agent, reading, identity, headroom, trouble, setupMs } = seen;
  const { counters } = agent;
  const dump = agent.stackDump();
  const hasKernel = reading.activeOpens !== null;
  return {
    agent: spec.agent.name,
    guard: spec.agent.kind === 'reference' ? spec.agent.guard : null,
    kind: spec.agent.kind,
    version: report.version,
    trouble,
    pollers: counters
      ? {
          peak: counters.pollersPeak,
          spawned: counters.pollersSpawned,
          atEnd: sampler.pollersLast,
          source: 'agent',
        }
      : externalPollers(sampler, dump),
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
    identity,
    init: report.init,
    health: report.health,
    headroom,
    process: {
      cpuSeconds: sampler.use?.cpuSeconds ?? null,
      rssPeakBytes: sampler.rssPeakBytes,
      threadsPeak: sampler.threadsPeak,
      openFilesPeak: sampler.openFilesPeak,
      goroutines: dump?.goroutines ?? null,
      overTime: sampler.usage.series(),
    },
    setupMs,
    series: sampler.recorder.series(),
  };
}

/** By how much an estimate may lie below its own peak and still be at it. */
const AT_PEAK = 0.9;

/**
 * The pollers of an agent that does not tell: an exact count from its stack dump where the pile was
 * at its highest when the dump was taken, the live estimate otherwise.
 */
function externalPollers(sampler: Sampler, dump: StackDump | undefined): LaneOutcome['pollers'] {
  const { pollersPeak, pollersLast } = sampler;
  const atEnd = dump ? dump.pollers + dump.bootPollers : pollersLast;
  const isPeakAtEnd = pollersPeak !== null && (pollersLast ?? 0) >= AT_PEAK * pollersPeak;
  if (dump && isPeakAtEnd) return { peak: atEnd, spawned: null, atEnd, source: 'stack-dump' };
  const source = pollersPeak === null ? null : 'kernel';
  return { peak: pollersPeak, spawned: null, atEnd, source };
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
