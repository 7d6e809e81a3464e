import type { SERIES } from '../results/thin.js';
import { formatCount, formatMs, formatRate } from './numbers.js';

export type SeriesName = (typeof SERIES)[number];

/** How the series over time are called, and what their values are. */
export const SERIES_TITLES: Record<
  SeriesName,
  { title: string; unit: string; format: (value: number) => string }
> = {
  pollers: { title: 'Pollers', unit: '', format: formatCount },
  connectionsPerSecond: { title: 'Connections/s', unit: '/s', format: formatRate },
  portsInUse: { title: 'Ports in use', unit: '', format: formatCount },
  timeWait: { title: 'TIME_WAIT', unit: '', format: formatCount },
  initLatencyMs: { title: '/init latency', unit: 'ms', format: (ms) => `${formatMs(ms)} ms` },
  healthLatencyMs: { title: '/health latency', unit: 'ms', format: (ms) => `${formatMs(ms)} ms` },
};
