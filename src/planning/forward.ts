import { isCloseARace } from '../model/conduct.js';
import { predictLane } from '../model/predict.js';
import { type Simulation, simulate } from '../model/simulation.js';
import type { Calibration, PlanAgent, PlanFigures, PlanInput, PlanLimit } from '../results/plan.js';
import { type Together, together } from './fleet.js';
import { type Planned, type PlannedAgent, sandboxOf } from './sandbox.js';

/** The limit that is met when the guest keeps no more sockets in TIME_WAIT. */
export const TIME_WAIT_FULL = 'TIME_WAIT table full';

/** What an agent comes to: per sandbox, per host and in the fleet, and the limits it meets. */
export function planAgent(planned: Planned, agent: PlannedAgent): PlanAgent {
  const { input, calibration } = planned;
  const sandbox = sandboxOf(planned, agent);
  const simulation = simulate(sandbox);
  const { pollers, connections } = simulation;
  // Where chance decides who keeps TIME_WAIT, the ports are planned for the worst of it.
  const isRace = isCloseARace(sandbox);
  const worst = isRace ? simulate({ ...sandbox, mmdsClose: 'agent' }) : simulation;
  const { ports } = worst;
  const alone: Together = {
    pollersPeak: pollers.peak,
    connectionsPerSecondPeak: connections.perSecondPeak,
    portsPeak: ports.peak,
  };
  const series = { ...simulation.series, portsInUse: worst.series.portsInUse };
  const { host, fleet } = together({ ...simulation, ports, series }, input);
  const least = isRace ? together(simulation, input) : null;
  const figures = (sandboxes: number, peaks: Together, leastPorts: number | null): PlanFigures => ({
    pollersPeak: peaks.pollersPeak,
    connectionsPerSecondPeak: peaks.connectionsPerSecondPeak,
    connectionsTotal: connections.total * sandboxes,
    ports: {
      capacity: ports.capacity * sandboxes,
      peak: peaks.portsPeak,
      peakLeast: leastPorts,
      exhaustedAtMs: ports.exhaustedAtMs,
    },
    cpuCoresPeak: cpuCores(calibration, sandboxes, peaks.connectionsPerSecondPeak),
    memoryBytesPeak: memoryBytes(calibration, sandboxes, peaks.pollersPeak),
  });
  const limits = limitsMet({ ...simulation, ports, timeWait: worst.timeWait }, input, calibration);
  return {
    agent: agent.name,
    intervalMs: input.intervalMs,
    outageMs: input.outageMs,
    sandboxesPerHost: input.sandboxesPerHost,
    perSandbox: figures(1, alone, isRace ? simulation.ports.peak : null),
    perHost: figures(input.sandboxesPerHost, host, least?.host.portsPeak ?? null),
    fleet: figures(input.sandboxesPerHost * input.hosts, fleet, least?.fleet.portsPeak ?? null),
    demandPerSecondPeak: predictLane(sandbox).connectionsPerSecondPeak,
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
    [TIME_WAIT_FULL, timeWait.fullAtMs],
    ['half of the ports: connect() slows down', ports.halfAtMs],
    ['ports exhausted', ports.exhaustedAtMs],
    ['connection rate of one core', saturatedAtMs],
    ["the guest's memory", series.tMs[full] ?? null],
  ];
  return met
    .flatMap(([limit, atMs]) => (atMs === null ? [] : [{ limit, atMs }]))
    .sort((one, other) => one.atMs - other.atMs);
}
