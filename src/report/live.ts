import { formatDuration } from '../base/duration.js';
import { cleanText } from '../base/text.js';
import { padEnd, padStart, paint, toAscii, truncate, type View } from './layout.js';
import { formatCount, NO_DATA } from './numbers.js';
import { sparkline } from './sparkline.js';

/** The figures of a lane that are watched while a run goes on. */
export const WATCHED = ['pollers', 'connectionsPerSecond', 'portsInUse'] as const;

export type Watched = (typeof WATCHED)[number];

const LABEL: Record<Watched, string> = {
  pollers: 'pollers',
  connectionsPerSecond: 'connections/s',
  portsInUse: 'ports in use',
};

/** The same of one thing. */
const LABEL_OF_ONE: Record<Watched, string> = {
  pollers: 'poller',
  connectionsPerSecond: 'connection/s',
  portsInUse: 'port in use',
};

export interface LiveLane {
  name: string;
  /** The last points of every watched figure, oldest first. */
  points: Record<Watched, readonly (number | null)[]>;
}

export interface LiveState {
  elapsedMs: number;
  outageMs: number;
  lanes: readonly LiveLane[];
}

/**
 * One picture of a running experiment. It has fewer lines than the terminal has rows, and each is
 * narrower than the terminal, so that nothing scrolls or wraps: where lanes do not fit with their
 * sparklines they get one line each, and where these do not fit, the rest is counted.
 */
export function liveFrame(state: LiveState, view: View & { rows: number }): string {
  const width = Math.max(1, view.columns - 1);
  const room = Math.max(1, view.rows - 1);
  const time = truncate(timeLine(state), width);
  const tops = Object.fromEntries(
    WATCHED.map((name) => [name, topOf(state.lanes, name)]),
  ) as Record<Watched, number>;
  const tall = state.lanes.flatMap((lane) => tallLane(lane, width, tops, view));
  const lanes = tall.length < room ? tall : flatLanes(state.lanes, width, room - 1, view);
  const frame = [paint(time, 'bold', view), ...lanes].join('\n');
  return view.unicode ? frame : toAscii(frame);
}

/** The same in one line, for where there is no terminal. */
export function liveLine(state: LiveState): string {
  const lanes = state.lanes.map(summaryOf).join(' | ');
  return `${formatDuration(whole(state.elapsedMs))} of ${formatDuration(state.outageMs)}: ${lanes}`;
}

function timeLine({ elapsedMs, outageMs }: LiveState): string {
  const left = Math.max(0, outageMs - elapsedMs);
  const remaining = left > 0 ? `${formatDuration(whole(left))} left` : 'finishing';
  return `${formatDuration(whole(elapsedMs))} of ${formatDuration(outageMs)}, ${remaining}`;
}

/** What a full bar stands for: the same in all lanes, so that 1 poller does not look like 600. */
function topOf(lanes: readonly LiveLane[], name: Watched): number {
  return Math.max(0, ...lanes.flatMap((lane) => lane.points[name].map((point) => point ?? 0)));
}

function tallLane(
  lane: LiveLane,
  width: number,
  tops: Readonly<Record<Watched, number>>,
  view: View,
): string[] {
  return [
    paint(truncate(nameOf(lane, view), width), 'bold', view),
    ...WATCHED.map((name) => {
      const figures = `  ${padEnd(LABEL[name], 13)} ${padStart(latest(lane, name), 7)} `;
      const room = width - figures.length;
      const bars = sparkline(lane.points[name], room, view.unicode, tops[name]);
      return figures.length > width
        ? truncate(figures, width)
        : figures + paint(bars, 'green', view);
    }),
  ];
}

function flatLanes(lanes: readonly LiveLane[], width: number, room: number, view: View): string[] {
  const fitting = lanes.length <= room ? lanes.length : Math.max(0, room - 1);
  const lines = lanes
    .slice(0, fitting)
    .map((lane) => summaryOf({ ...lane, name: nameOf(lane, view) }));
  const hidden = lanes.length - fitting;
  if (hidden > 0 && room > 0) lines.push(`and ${hidden} more lanes`);
  return lines.map((line) => truncate(line, width));
}

function summaryOf(lane: LiveLane): string {
  const figures = WATCHED.map((name) => {
    const figure = latest(lane, name);
    return `${figure} ${figure === '1' ? LABEL_OF_ONE[name] : LABEL[name]}`;
  }).join(', ');
  return `${cleanText(lane.name, 24)}: ${figures}`;
}

function nameOf(lane: LiveLane, view: View): string {
  const name = cleanText(lane.name, 60);
  return view.unicode ? name : toAscii(name);
}

function latest(lane: LiveLane, name: Watched): string {
  const points = lane.points[name];
  return points.length > 0 ? formatCount(points.at(-1)) : NO_DATA;
}

/** Whole seconds, so that the time does not flicker; a tenth where there is less than one. */
function whole(ms: number): number {
  return ms < 1e3 ? Math.round(ms / 100) * 100 : Math.floor(ms / 1e3) * 1e3;
}
