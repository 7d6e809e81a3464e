import { type Simulation, simulate } from '../model/simulation.js';
import type { Calibration, PlanAgent, PlanFigures, PlanInput, PlanLimit } from '../results/plan.js';
import { type Together, together } from './fleet.js';
import { type Planned, type PlannedAgent, sandboxOf } from './sandbox.js';

/** What an agent comes to: per sandbox, per host and in the fleet, and the limits it meets. */
export function planAgent(planned: Planned, agent: PlannedAgent): PlanAgent {
  const { input, calibration } = planned;
  const simulation = simulate(sandboxOf(planned, agent));
  const { pollers, connections, ports } = simulation;
  const alone: Together = {
    pollersPeak: pollers.peak,
    connectionsPerSecondPeak: connections.perSecondPeak,
    portsPeak: ports.peak,
  };
  const { host, fleet } = together(simulation, input);
  const figures = (sandboxes: number, peaks: Together): PlanFigures => ({
    pollersPeak: peaks.pollersPeak,
    connectionsPerSecondPeak: peaks.connectionsPerSecondPeak,
    connectionsTotal: connections.total * sandboxes,
    ports: {
      capacity: ports.capacity * sandboxes,
      peak: peaks.portsPeak,
      exhaustedAtMs: ports.exhaustedAtMs,
    },
    cpuCoresPeak: cpuCores(calibration, sandboxes, peaks.connectionsPerSecondPeak),
    memoryBytesPeak: memoryBytes(calibration, sandboxes, peaks.pollersPeak),
  });
  const limits = limitsMet(simulation, input, calibration);
  return {
    agent: agent.name,
    intervalMs: input.intervalMs,
    outageMs: input.outageMs,
    sandboxesPerHost: input.sandboxesPerHost,
    perSandbox: figures(1, alone),
    perHost: figures(input.sandboxesPerHost, host),
    fleet: figures(input.sandboxesPerHost * input.hosts, fleet),
    pollersPeakAtMs: pollers.peakAtMs,
    connectionsPerSecondPeakAtMs: connections.perSecondPeakAtMs,
    firstLimit: limits[0] ?? null,
    limits,
  };
}

function cpuCores(known: Calibration | null, sandboxes: number, perSecond: number): number | null {
  if (known?.cpuCoresIdle == null || known.cpuSecondsPerAttempt === null) return null;
  return known.cpuCoresIdle * sandboxes + known.cpuSecondsPerAttempt * perSecond;
}

function memoryBytes(known: Calibration | null, sandboxes: number, pollers: number): number | null {
  if (known?.rssBytesIdle == null || known.rssBytesPerPoller === null) return null;
  return Math.round(known.rssBytesIdle * sandboxes + known.rssBytesPerPoller * pollers);
}

/** The limits of one sandbox that were met, in order of time. */
function limitsMet(
  { ports, timeWait, crowdedAtMs, saturatedAtMs, series }: Simulation,
  { guest }: PlanInput,
  calibration: Calibration | null,
): PlanLimit[] {
  const full = series.pollers.findIndex((pollers) => {
    const bytes = memoryBytes(calibration, 1, pollers);
    return bytes !== null && bytes >= guest.memoryBytes;
  });
  const met: [string, number | null][] = [
    ["MMDS's 30 connections", crowdedAtMs],
    ['TIME_WAIT table full', timeWait.fullAtMs],
    ['half of the ports: connect() slows down', ports.halfAtMs],
    ['ports exhausted', ports.exhaustedAtMs],
    ['connection rate of one core', saturatedAtMs],
    ["the guest's memory", series.tMs[full] ?? null],
  ];
  return met
    .flatMap(([limit, atMs]) => (atMs === null ? [] : [{ limit, atMs }]))
    .sort((one, other) => one.atMs - other.atMs);
}
