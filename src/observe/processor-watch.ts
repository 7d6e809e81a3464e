import { readProc } from './proc/counters.js';
import { parseProcessStat, treeOf } from './proc/process.js';

const LOOK_EVERY_MS = 1_000;

/** Less idle than this share of all processors is none to speak of. */
const IDLE = 0.05;

/** Clock ticks per second of /proc/stat (USER_HZ). */
const USER_HZ = 100;

/** What some processors did since the boot, in seconds. */
export interface ProcessorTimes {
  /** With programs, and with other virtual machines (steal); without interrupts. */
  busy: number;
  idle: number;
}

/** How the processors were used between two looks, each in seconds of a processor. */
export interface Look {
  times: ProcessorTimes;
  /** CPU time of every process of ours. */
  ours: ReadonlyMap<number, number>;
}

/**
 * Reads `/proc/stat` (proc_stat(5)). Time in soft interrupts is left out: it is that of packets,
 * whosever they are.
 * @param cpus the numbers of the processors that count
 * @returns undefined when none of them is there
 */
export function parseProcessorTimes(
  text: string,
  cpus: readonly number[],
): ProcessorTimes | undefined {
  const sum = { busy: 0, idle: 0 };
  let found = 0;
  for (const cpu of cpus) {
    const line = new RegExp(`^cpu${cpu} (.*)$`, 'm').exec(text)?.[1];
    const [user, nice, system, idle, iowait, , , steal = 0] = (line ?? '').split(' ').map(Number);
    const busy = [user, nice, system, steal].reduce((all = 0, one = Number.NaN) => all + one, 0);
    const free = (idle ?? Number.NaN) + (iowait ?? Number.NaN);
    if (!Number.isFinite(busy) || !Number.isFinite(free)) continue;
    sum.busy += (busy ?? 0) / USER_HZ;
    sum.idle += free / USER_HZ;
    found++;
  }
  return found > 0 ? sum : undefined;
}

/**
 * The processors that others used between two looks, of those that there were.
 * @returns null where some were free, or one of our processes has ended and took its time with it
 */
export function usedByOthers(before: Look, after: Look, cpus: number): number | null {
  const busy = after.times.busy - before.times.busy;
  const idle = after.times.idle - before.times.idle;
  const seconds = (busy + idle) / cpus;
  if (!(seconds > 0) || idle > IDLE * (busy + idle)) return null;
  let ours = 0;
  for (const pid of before.ours.keys()) if (!after.ours.has(pid)) return null;
  for (const [pid, used] of after.ours) ours += Math.max(0, used - (before.ours.get(pid) ?? 0));
  return Math.max(0, busy - ours) / seconds;
}

/**
 * Watches, a look a second, whether anybody but this process and its children takes processors while
 * none is free: then programs wait that would have done more.
 */
export class ProcessorWatch {
  /** The most processors that others used in a second in which none was free; null before one. */
  othersPeak: number | null = null;
  private readonly timer: NodeJS.Timeout;
  private before: Look | undefined;

  /** @param cpus the numbers of the processors that this process may use */
  constructor(private readonly cpus: readonly number[]) {
    this.before = this.look();
    this.timer = setInterval(() => this.take(), LOOK_EVERY_MS).unref();
  }

  end(): void {
    clearInterval(this.timer);
  }

  private take(): void {
    const after = this.look();
    const others = this.before && after ? usedByOthers(this.before, after, this.cpus.length) : null;
    if (others !== null) this.othersPeak = Math.max(this.othersPeak ?? 0, others);
    this.before = after;
  }

  private look(): Look | undefined {
    const times = parseProcessorTimes(readProc('/proc/stat') ?? '', this.cpus);
    if (!times) return undefined;
    const ours = new Map<number, number>();
    for (const pid of treeOf(process.pid)) {
      const use = parseProcessStat(readProc(`/proc/${pid}/stat`) ?? '');
      if (use) ours.set(pid, use.cpuSeconds);
    }
    return { times, ours };
  }
}
