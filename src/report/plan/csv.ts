import type { Plan } from '../../results/plan.js';
import { csvCell } from '../csv.js';

const SIZES = ['perSandbox', 'perHost', 'fleet'] as const;

const COLUMNS = [
  'intervalMs',
  'outageMs',
  'sandboxesPerHost',
  'fault',
  'agent',
  'size',
  'pollersPeak',
  'connectionsPerSecondPeak',
  'connectionsTotal',
  'portsPeak',
  'portsPeakLeast',
  'portsCapacity',
  'portsExhaustedAtMs',
  'cpuCoresPeak',
  'memoryBytesPeak',
  'firstLimit',
  'firstLimitAtMs',
];

/** Plans as CSV (RFC 4180): a row for every interval, agent and size. Empty where not known. */
export function renderPlanCsv(plans: readonly Plan[]): string {
  const rows = plans.flatMap(({ input, agents }) =>
    agents.flatMap((agent) =>
      SIZES.map((size) => {
        const figures = agent[size];
        return [
          agent.intervalMs,
          agent.outageMs,
          agent.sandboxesPerHost,
          input.fault,
          agent.agent,
          size,
          figures.pollersPeak,
          figures.connectionsPerSecondPeak,
          figures.connectionsTotal,
          figures.ports.peak,
          figures.ports.peakLeast,
          figures.ports.capacity,
          figures.ports.exhaustedAtMs,
          figures.cpuCoresPeak,
          figures.memoryBytesPeak,
          agent.firstLimit?.limit ?? null,
          agent.firstLimit?.atMs ?? null,
        ];
      }),
    ),
  );
  return [COLUMNS, ...rows].map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
}
