import { TICK_MS } from '../model/facts.js';
import type { LaneResult, Load, Overload, ScenarioRecord } from '../results/schema.js';

/** What could not follow, and by how much, in one sentence. */
export interface OverloadFinding {
  overload: Overload;
  text: string;
}

/** What the findings are made of. */
export interface Followed {
  lane: Pick<LaneResult, 'init' | 'kind' | 'connections' | 'pollers' | 'predicted'>;
  /** Whether the lane went on to the end of the outage, without trouble. */
  isWhole: boolean;
  load: Load | null;
  scenario: Pick<ScenarioRecord, 'intervalMs'>;
  /** Processors that the run could use. */
  cpus: number;
}

/**
 * A driver that is later than this with one in a hundred requests, ms. The shortest times that envd and
 * its orchestrator know are 50 ms (a poller's tick, the timeout of an `/init`): a fifth of that.
 */
const LATE_DRIVER_MS = 10;

/**
 * Samples, or turns of a loop, that are farther apart than this are late, ms; 100 are due. A rate then
 * spans up to 1.25 s: of a peak that lasted one second a fifth is missing.
 */
const LATE_SAMPLE_MS = 250;

/**
 * A loop that is busier than this over a second is saturated: what it has left of the second, 50 ms, is
 * less than one tick of a poller, so that what is due at one tick is not done before the next. Past
 * that the speed of the machine is measured.
 */
const SATURATED = 0.95;

/** Fewer attempts missing than this share of those asked for are an outage's beginning and end. */
const KEPT_UP = 0.02;

/** The most that one tick of a poller makes. */
const ATTEMPTS_PER_TICK = 2;

/** What could not follow in a lane; empty where all did, and where nobody watched. */
export function findOverload({ lane, load, scenario, cpus, isWhole }: Followed): OverloadFinding[] {
  const { driverLoop, agentLoop, mmdsLoop } = load ?? {};
  const driver = [...slip(lane, scenario), ...saturation(driverLoop)];
  const agent = isWhole ? agentFindings(lane, agentLoop) : saturation(agentLoop);
  const mmds = saturation(mmdsLoop);
  const found: (OverloadFinding | false)[] = [
    driver.length > 0 && {
      overload: 'driver',
      text: `the driver was overloaded (${driver.join(', ')}): latencies include its lateness`,
    },
    load !== null &&
      load.sampleGapMaxMs > LATE_SAMPLE_MS && {
        overload: 'samples',
        text: `samples were up to ${ms(load.sampleGapMaxMs)} apart, not 100: peaks in between are missing, and rates are means over as long`,
      },
    agent.length > 0 && {
      overload: 'agent',
      text: `the agent was overloaded (${agent.join(', ')}): attempts and answers are those that this machine allowed`,
    },
    mmds.length > 0 && {
      overload: 'mmds',
      text: `the event loop of MMDS was overloaded (${mmds.join(', ')}): attempts are those that it could serve`,
    },
    lane.kind === 'external' && processors(load, cpus),
  ];
  return found.filter((one) => one !== false);
}

/**
 * A program that does not count its own attempts was kept from them where no processor was free: by
 * itself, by MMDS and the driver, by another lane, or by whoever else is at work on this machine.
 */
function processors(load: Load | null, cpus: number): OverloadFinding | false {
  const { agentCpusPeak = null, processorsBusyPeak = null } = load ?? {};
  const used = agentCpusPeak === null ? '' : `; the agent itself used ${agentCpusPeak.toFixed(2)}`;
  const isTaken = (processorsBusyPeak ?? 0) >= SATURATED;
  return (
    (isTaken || (agentCpusPeak ?? 0) >= SATURATED * cpus) && {
      overload: 'processors',
      text: `of ${cpus} processors none was free at the peak${used}: it waited for others, and may have made fewer attempts than it would`,
    }
  );
}

function slip(
  { init }: Pick<LaneResult, 'init'>,
  { intervalMs }: { intervalMs: number },
): string[] {
  const { p99, max } = init.slipMs;
  if (p99 === null || max === null) return [];
  // Two `/init`s at once are not the interval; what is shorter than a tick no poller tells apart.
  const isLate = p99 > LATE_DRIVER_MS || max > Math.max(intervalMs, TICK_MS);
  return isLate ? [`slip p99 ${ms(p99)}, at most ${ms(max)}`] : [];
}

/**
 * The attempts that a reference agent's pollers made, and those that the closed form has them ask for;
 * undefined where nobody knows.
 */
function attemptsOf({ kind, connections, predicted }: Followed['lane']) {
  const asked = predicted.connectionsTotal;
  if (kind !== 'reference' || !asked || connections.total === null) return undefined;
  return { asked, made: connections.total + (connections.localFailures ?? 0) };
}

/**
 * An agent that was kept from what its pollers asked for, by whoever took the processors or the ports
 * from it: by ten percent, and more than two ticks of all pollers, in which an outage may begin and end.
 * A loop that was busy all the time and yet made what it was asked for has followed.
 */
function agentFindings(lane: Followed['lane'], loop: Load['agentLoop'] | undefined): string[] {
  const attempts = attemptsOf(lane);
  if (!attempts) return saturation(loop);
  const { asked, made } = attempts;
  const allowed = Math.max(0.1 * asked, 2 * ATTEMPTS_PER_TICK * (lane.pollers.peak ?? 0));
  return [
    ...(asked - made > allowed ? [`${made} of ${asked} attempts that its pollers asked for`] : []),
    ...(asked - made > KEPT_UP * asked ? saturation(loop) : stuck(loop)),
  ];
}

function saturation(loop: Load['driverLoop'] | undefined): string[] {
  const utilization = loop?.utilizationPeak ?? 0;
  const isBusy = utilization >= SATURATED;
  return [
    ...(isBusy ? [`${(utilization * 100).toFixed(0)} % busy at its peak`] : []),
    ...stuck(loop),
  ];
}

function stuck(loop: Load['driverLoop'] | undefined): string[] {
  const delayMaxMs = loop?.delayMaxMs ?? 0;
  return delayMaxMs > LATE_SAMPLE_MS - 100 ? [`stuck for up to ${ms(delayMaxMs)}`] : [];
}

function ms(value: number): string {
  return `${Math.round(value)} ms`;
}
