import type { Reading } from '../observe/reading.js';
import type { StackDump } from '../observe/stack-dump.js';
import type { DriverReport } from '../orchestrator/driver.js';
import type { AgentCount } from '../results/schema.js';
import type { LaneOutcome } from './messages.js';
import type { AgentPart } from './parts/agent-part.js';
import type { DriverPart } from './parts/driver-part.js';
import type { MmdsPart } from './parts/mmds-part.js';
import type { Sampler } from './sampler.js';
import type { LaneSpec } from './spec.js';

/** All that a lane has seen when its outage is over. */
export interface Seen {
  spec: LaneSpec;
  report: DriverReport;
  sampler: Sampler;
  agent: AgentPart;
  driver: DriverPart;
  mmds: MmdsPart;
  /** The last reading, taken when the agent no longer polls. */
  reading: Reading;
  identity: LaneOutcome['identity'];
  headroom: LaneOutcome['headroom'];
  trouble: string | null;
  setupMs: number | null;
}

/** Puts a lane's part of the result together. What was not measured is null. */
export function laneOutcome(seen: Seen): LaneOutcome {
  const {
    spec,
    report,
    sampler,
    agent,
    driver,
    mmds,
    reading,
    identity,
    headroom,
    trouble,
    setupMs,
  } = seen;
  // Where the agent did not live to tell its last ones, those before are no exact counts.
  const counters = agent.hasFinalCounters ? agent.counters : null;
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
      : spec.agent.kind === 'reference'
        ? pollersSeen(sampler)
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
    load: {
      sampleGapMaxMs: sampler.recorder.gapMaxMs,
      agentCpusPeak: sampler.cpusPeak,
      processorsBusyPeak: sampler.processors.busyPeak,
      driverLoop: driver.loop.use(),
      agentLoop: agent.loop.use(),
      mmdsLoop: mmds.loop.use(),
    },
    setupMs,
    series: sampler.recorder.series(),
  };
}

/** What the samples saw of an agent that ended before it could tell its last counts. */
function pollersSeen({ pollersPeak, pollersLast }: Sampler): LaneOutcome['pollers'] {
  const source = pollersPeak === null ? null : 'agent';
  return { peak: pollersPeak, spawned: null, atEnd: pollersLast, source };
}

/** The second over which a rate is taken: so much may lie between what it tells of and its sample, ms. */
const WINDOW_MS = 1000;

/** How far a rate over a second is off the pollers' own, of a pile that grows meanwhile. */
const ESTIMATE_ERROR = 0.05;

/** What an estimate of the pollers came to. */
interface Estimate {
  pollersPeak: number | null;
  /** When it was last at its peak, and when it was last taken, ms. */
  pollersPeakAtMs: number | null;
  pollersLast: number | null;
  lastMs: number;
}

/**
 * The pollers of an agent that does not tell. A dump counts them exactly, at its own moment only. That
 * is the peak where the estimate never was higher; or was, in the window before the dump, by no more
 * than it errs itself. Otherwise the estimate stands: any number can have ended since.
 */
export function externalPollers(
  { pollersPeak, pollersPeakAtMs, pollersLast, lastMs }: Estimate,
  dump: Pick<StackDump, 'pollers' | 'bootPollers'> | undefined,
): LaneOutcome['pollers'] {
  const atEnd = dump ? dump.pollers + dump.bootPollers : pollersLast;
  if (dump && pollersPeak !== null && atEnd !== null) {
    const isJustNow = lastMs - (pollersPeakAtMs ?? 0) <= WINDOW_MS;
    const error = isJustNow ? Math.floor(ESTIMATE_ERROR * pollersPeak) : 0;
    if (atEnd >= pollersPeak - error) {
      return { peak: atEnd, spawned: null, atEnd, source: 'stack-dump' };
    }
  }
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
