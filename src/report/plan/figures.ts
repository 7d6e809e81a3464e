import { formatDuration } from '../../base/duration.js';
import { formatSize } from '../../base/size.js';
import type {
  Plan,
  PlanAgent,
  PlanFigures,
  PlanReached,
  PlanSolution,
} from '../../results/plan.js';
import { formatCount, formatRate, formatValue, NO_DATA, plural } from '../numbers.js';

/** A figure of a plan. */
export interface PlanRow {
  label: string;
  cell: (figures: PlanFigures) => string;
}

/** The figures of a plan, in their order. */
export const PLAN_ROWS: readonly PlanRow[] = [
  { label: 'pollers peak', cell: ({ pollersPeak }) => formatCount(pollersPeak) },
  { label: 'connections/s peak', cell: (f) => formatRate(f.connectionsPerSecondPeak) },
  { label: 'connections total', cell: (f) => formatCount(f.connectionsTotal) },
  {
    label: 'ports peak',
    cell: ({ ports }) =>
      `${ports.peakLeast === null ? '' : `${formatCount(ports.peakLeast)} to `}${formatCount(ports.peak)} of ${formatCount(ports.capacity)}`,
  },
  {
    label: 'ports exhausted at',
    cell: ({ ports }) =>
      ports.exhaustedAtMs === null ? 'never' : formatDuration(ports.exhaustedAtMs),
  },
  {
    label: 'CPU peak, cores',
    cell: ({ cpuCoresPeak }) => formatValue(cpuCoresPeak),
  },
  {
    label: 'memory peak',
    cell: (f) => (f.memoryBytesPeak === null ? NO_DATA : formatSize(f.memoryBytesPeak)),
  },
];

/** When the peaks come and which limits are met, in sentences. */
export function planSentences(agent: PlanAgent): string[] {
  const { pollersPeakAtMs, connectionsPerSecondPeakAtMs, demandPerSecondPeak, perSandbox, limits } =
    agent;
  const after = (ms: number) => (ms === 0 ? 'at once' : `after ${formatDuration(ms)}`);
  const met = limits.map(({ limit, atMs }) => `${limit} ${after(atMs)}`);
  return [
    `most pollers ${after(pollersPeakAtMs)}, most connections/s ${after(connectionsPerSecondPeakAtMs)}`,
    ...(demandPerSecondPeak === null
      ? []
      : [
          `connections/s peak is of the fullest second; at the fullest moment a sandbox's pollers ask for ${formatRate(demandPerSecondPeak)}, which is what run predicts`,
        ]),
    ...(perSandbox.ports.peakLeast === null
      ? []
      : [
          'ports: who closes first is a race, and with it whether TIME_WAIT stays in the guest; limits are those of the most',
        ]),
    met.length === 0 ? 'no limit is met' : `first limit: ${met.join('; then ')}`,
  ];
}

/** What was planned, in phrases. */
export function planPhrases({ input, calibration, solution }: Plan): string[] {
  const { sandboxesPerHost, hosts, guest, staggerMs } = input;
  const given = (name: PlanSolution['solve'], value: string) =>
    solution?.solve === name ? `${name === 'interval' ? 'at ' : ''}the ${name} sought` : value;
  const interval = given('interval', `every ${formatDuration(input.intervalMs)}`);
  const outage = given('outage', formatDuration(input.outageMs));
  const sandboxes = `${formatCount(sandboxesPerHost)} ${sandboxesPerHost === 1 ? 'sandbox' : 'sandboxes'} a host`;
  return [
    input.retry === 'fixed'
      ? `one /init ${interval} for ${outage}`
      : `the orchestrator's loop for ${outage}`,
    `fault ${input.fault}`,
    `poller ${input.poller}`,
    `guest ${formatSize(guest.memoryBytes)}`,
    `${given('sandboxes-per-host', sandboxes)}, ${plural(hosts, 'host')}`,
    staggerMs === 0
      ? 'all outages at once'
      : `outages begin within ${formatDuration(staggerMs)} (seed ${input.seed})`,
    calibration === null
      ? 'not calibrated: CPU, memory and what a machine can do are left out (--from)'
      : `calibrated by ${plural(calibration.results.length, 'result')} for ${calibration.agents.join(', ')} ` +
        `on Linux ${calibration.machine.kernel}, ${calibration.machine.cpus} CPUs, Node ${calibration.machine.node}; CPU above ${formatRate(calibration.attemptsPerSecondSeen)} is extrapolated`,
  ];
}

/** The answers to `--solve`, in sentences. */
export function solutionSentences({ solve, limits, range, answers }: PlanSolution): string[] {
  const shown = (value: number) =>
    solve === 'sandboxes-per-host' ? formatCount(value) : formatDuration(value);
  const isLargest = solve !== 'interval';
  const kept = limits.join(', ');
  return answers.map(({ agent, value, binds, reached }) => {
    if (value === null) {
      const end = isLargest ? `from ${shown(range[0])} up` : `up to ${shown(range[1])}`;
      return `${agent}: no ${solve} ${end} keeps ${binds ?? kept}`;
    }
    if (binds === null) {
      const end = `${isLargest ? 'up to' : 'from'} ${shown(value)}${isLargest ? '' : ' up'}`;
      const why = (reached ?? []).map(reachedPhrase).join(', ');
      return `${agent}: no ${solve} ${end} breaks ${kept}: even at ${shown(value)} the model has ${why}`;
    }
    const most = isLargest ? 'largest' : 'smallest';
    return `${agent}: ${most} ${solve} that keeps ${kept}: ${shown(value)}; ${binds} binds`;
  });
}

/** `14.5 % of the ports (TIME_WAIT table full)`. */
function reachedPhrase({ of, value, heldBy }: PlanReached): string {
  const figure =
    of === 'share of the ports'
      ? `${(value * 100).toFixed(1)} % of the ports`
      : of === 'cores'
        ? `${formatValue(value)} cores`
        : `${formatCount(Math.round(value))} ${of}`;
  return heldBy === null ? figure : `${figure} (${heldBy})`;
}
