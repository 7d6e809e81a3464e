import { formatDuration } from '../base/duration.js';
import { formatSize } from '../base/size.js';
import { cleanText } from '../base/text.js';
import type { LaneResult, Overload, Requests } from '../results/schema.js';
import type { Better } from './change.js';
import {
  formatCount,
  formatMs,
  formatRate,
  formatSeconds,
  formatValue,
  NO_DATA,
} from './numbers.js';

/** One line of a report: a figure of every lane. */
export interface Row {
  label: string;
  /** The figure as text, without escapes; `–` where nothing was measured. */
  cell: (lane: LaneResult) => string;
  /** The number that two lanes are compared by; absent where a ratio says nothing. */
  value?: (lane: LaneResult) => number | null;
  /** Which way is better. Absent where one run proves nothing: times and loads differ by chance. */
  better?: Better;
  /** By which overload the figure is not that of the scenario alone. */
  spoiledBy?: readonly Overload[];
  /** Left out where no lane has it. */
  isOptional?: boolean;
}

/** What stands behind a figure that an overload has spoiled. */
export const OVERLOAD_MARK = '!';
export const OVERLOAD_LEGEND = 'the tool or the machine could not follow: see the notes';

/** Below this many samples a 99th percentile is hardly more than the maximum. */
export const ENOUGH_SAMPLES = 100;

/** The figures that a report of these lanes shows, in their order. */
export function rowsOf(lanes: readonly LaneResult[]): Row[] {
  return ROWS.filter(
    (row) => !row.isOptional || lanes.some((lane) => row.cell(lane) !== NO_DATA),
  ).map((row) => ({ ...row, cell: (lane) => marked(row.cell(lane), isSpoiled(row, lane)) }));
}

/** Whether any figure of a lane is marked. */
export function hasOverload({ overload }: LaneResult): boolean {
  return overload.length > 0;
}

/** A text about a lane, marked where the lane was overloaded. */
export function marked(text: string, isOverloaded: boolean): string {
  return isOverloaded && text !== NO_DATA ? `${text} ${OVERLOAD_MARK}` : text;
}

/** A text for a row's figure, marked where that figure of the lane is spoiled. */
export function markedFigure(label: string, lane: LaneResult, text: string): string {
  const row = ROWS.find((one) => one.label === label);
  return marked(text, row !== undefined && isSpoiled(row, lane));
}

/** Whether a lane was overloaded: a claim's verdict on it is one on the machine too. */
export function isOverloaded(name: string, lanes: readonly LaneResult[]): boolean {
  return lanes.some((lane) => lane.agent === name && hasOverload(lane));
}

function isSpoiled({ spoiledBy = [] }: Row, { overload, pollers }: LaneResult): boolean {
  // What an agent counts itself has no need of samples, and is right however slow it is.
  if (spoiledBy === POLLERS && pollers.source === 'agent') return false;
  return overload.some((one) => spoiledBy.includes(one));
}

const POLLERS: readonly Overload[] = ['samples', 'processors'];
const ATTEMPTS: readonly Overload[] = ['agent', 'mmds', 'processors'];
const PEAKS: readonly Overload[] = ['samples', ...ATTEMPTS];
const LATENCIES: readonly Overload[] = ['driver', 'agent', 'processors'];

const ROWS: readonly Row[] = [
  {
    label: 'pollers peak',
    spoiledBy: POLLERS,
    cell: (lane) => beside(lane.pollers.peak, lane.predicted.pollersPeak, formatCount),
    value: (lane) => lane.pollers.peak,
    better: 'less',
  },
  count('pollers spawned', (lane) => lane.pollers.spawned),
  {
    label: 'connections/s peak',
    spoiledBy: PEAKS,
    cell: (lane) =>
      beside(lane.connections.perSecondPeak, lane.predicted.connectionsPerSecondPeak, formatRate),
    value: (lane) => lane.connections.perSecondPeak,
    better: 'less',
  },
  {
    label: 'connections total',
    spoiledBy: ATTEMPTS,
    cell: (lane) => beside(lane.connections.total, lane.predicted.connectionsTotal, formatCount),
    value: (lane) => lane.connections.total,
    better: 'less',
  },
  count('local failures', (lane) => lane.connections.localFailures, 'less'),
  {
    label: 'ports peak',
    spoiledBy: PEAKS,
    cell: (lane) => part(lane.ports.peak, lane.ports.capacity),
    value: (lane) => lane.ports.peak,
  },
  { label: 'ports exhausted at', spoiledBy: PEAKS, cell: exhaustedAt },
  {
    label: 'attempts slowed at',
    spoiledBy: PEAKS,
    cell: ({ ports }) => (ports.kneeAtMs === null ? NO_DATA : formatDuration(ports.kneeAtMs)),
    isOptional: true,
  },
  {
    label: 'TIME_WAIT peak',
    spoiledBy: PEAKS,
    cell: (lane) => part(lane.kernel.timeWaitPeak, lane.kernel.timeWaitLimit),
    value: (lane) => lane.kernel.timeWaitPeak,
    better: 'less',
  },
  ...requests('/init', (lane) => lane.init),
  { label: '/init refused', cell: refusals, isOptional: true },
  {
    label: 'driver slip p99/max',
    spoiledBy: ['driver'],
    cell: ({ init }) => percentiles([init.slipMs.p99], init.slipMs.max, init.sent),
    value: ({ init }) => init.slipMs.p99,
  },
  ...requests('/health', (lane) => lane.health),
  {
    label: 'agent CPU',
    cell: (lane) => formatSeconds(lane.process.cpuSeconds),
    value: (lane) => lane.process.cpuSeconds,
  },
  {
    label: 'agent RSS peak',
    cell: ({ process: { rssPeakBytes } }) =>
      rssPeakBytes === null ? NO_DATA : formatSize(rssPeakBytes),
    value: (lane) => lane.process.rssPeakBytes,
  },
  { ...count('agent threads peak', (lane) => lane.process.threadsPeak), isOptional: true },
  { ...count('agent open files peak', (lane) => lane.process.openFilesPeak), isOptional: true },
  { ...count('goroutines at the end', (lane) => lane.process.goroutines), isOptional: true },
  {
    label: 'identity is as served',
    cell: ({ identity }) => (identity === null ? NO_DATA : identity.isServed ? 'yes' : 'no'),
    isOptional: true,
  },
  {
    label: 'version',
    cell: (lane) => (lane.version === null ? NO_DATA : cleanText(lane.version, 24)),
  },
];

/** Whether any percentile of a lane is made of too few samples. */
export function hasFewSamples({ init, health }: LaneResult): boolean {
  return [
    [init.latencyMs.p50, init.answered] as const,
    [init.slipMs.p99, init.sent] as const,
    [health.latencyMs.p50, health.answered] as const,
  ].some(
    ([percentile, samples]) => percentile !== null && samples !== null && samples < ENOUGH_SAMPLES,
  );
}

function count(label: string, value: (lane: LaneResult) => number | null, better?: Better): Row {
  return { label, cell: (lane) => formatCount(value(lane)), value, ...(better ? { better } : {}) };
}

/** Answers that were no 2xx, by status: `30 (401)`. */
function refusals({ init }: LaneResult): string {
  const refused = Object.entries(init.statuses).filter(([status]) => !/^2/.test(status));
  const count = refused.reduce((sum, [, one]) => sum + one, 0);
  const statuses = refused.map(([status]) => cleanText(status, 3));
  return count === 0 ? NO_DATA : `${formatCount(count)} (${statuses.slice(0, 3).join(', ')})`;
}

function requests(path: string, of: (lane: LaneResult) => Requests): Row[] {
  // Of nothing sent, nothing was measured: a 0 would read as "none failed".
  const outcome = (name: 'answered' | 'timedOut' | 'failed') => (lane: LaneResult) =>
    of(lane).sent === 0 ? null : of(lane)[name];
  return [
    count(`${path} sent`, (lane) => of(lane).sent),
    count(`${path} answered`, outcome('answered'), 'more'),
    count(`${path} timed out`, outcome('timedOut'), 'less'),
    count(`${path} failed`, outcome('failed'), 'less'),
    {
      label: `${path} p50/p99/max`,
      spoiledBy: LATENCIES,
      cell: (lane) => {
        const { latencyMs, answered } = of(lane);
        return percentiles([latencyMs.p50, latencyMs.p99], latencyMs.max, answered);
      },
      value: (lane) => of(lane).latencyMs.p99,
    },
  ];
}

/** A measured figure with the predicted one beside it: `600 [600]`. */
function beside(
  measured: number | null,
  predicted: number | null,
  format: (value: number | null) => string,
): string {
  return predicted === null ? format(measured) : `${format(measured)} [${formatValue(predicted)}]`;
}

function part(peak: number | null, whole: number | null): string {
  return peak === null || whole === null
    ? formatCount(peak)
    : `${formatCount(peak)} of ${formatCount(whole)}`;
}

function exhaustedAt({ ports }: LaneResult): string {
  if (ports.exhaustedAtMs !== null) return formatDuration(ports.exhaustedAtMs);
  // Of a lane that was cut off only samples are known: whether an attempt died in between is not.
  return ports.peak === null || ports.capacity === null ? NO_DATA : 'never';
}

/** `1.23/4.56/7.89 ms`; percentiles of few samples are marked `~`, the maximum is exact. */
function percentiles(
  values: (number | null)[],
  max: number | null,
  samples: number | null,
): string {
  if (max === null) return NO_DATA;
  const mark = samples !== null && samples < ENOUGH_SAMPLES ? '~' : '';
  const shown = values.map((value) => (value === null ? NO_DATA : `${mark}${formatMs(value)}`));
  return `${[...shown, formatMs(max)].join('/')} ms`;
}
