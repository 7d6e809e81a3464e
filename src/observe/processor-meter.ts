import { monotonicMs } from '../base/clock.js';
import { readProc } from './proc/counters.js';

/** A look that follows sooner than this is none, ms: the clock of the kernel ticks a hundred times a second. */
const LOOK_EVERY_MS = 900;

/** What some processors did since the boot, in clock ticks. */
export interface ProcessorTimes {
  /** With programs, interrupts, and other virtual machines (steal). */
  busy: number;
  /** With nothing, or waiting for a disk. */
  idle: number;
}

/**
 * Reads `/proc/stat` (proc_stat(5)).
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
    const line = new RegExp(`^cpu${cpu} ((?:\\d+ ?)+)$`, 'm').exec(text)?.[1] ?? '';
    const times = line.split(' ').map(Number);
    const [user, nice, system, idle, iowait, irq, softirq, steal] = times;
    if (steal === undefined) continue;
    for (const one of [user, nice, system, irq, softirq, steal]) sum.busy += one ?? 0;
    sum.idle += (idle ?? 0) + (iowait ?? 0);
    found++;
  }
  return found > 0 ? sum : undefined;
}

/** Learns how busy processors were between one look and the next, whoever used them. */
export class ProcessorMeter {
  /** The largest share of their time in which they were busy, 0 to 1; null before the second look. */
  busyPeak: number | null = null;
  private before: ProcessorTimes | undefined;
  private lookedAtMs = Number.NEGATIVE_INFINITY;

  /** @param cpus the numbers of the processors that are watched */
  constructor(
    private readonly cpus: readonly number[],
    private readonly read = () => readProc('/proc/stat') ?? '',
    private readonly nowMs = monotonicMs,
  ) {}

  /** To be called about once a second; whoever is late and calls in quick succession is not heard. */
  look(): void {
    const nowMs = this.nowMs();
    if (nowMs - this.lookedAtMs < LOOK_EVERY_MS) return;
    this.lookedAtMs = nowMs;
    const now = parseProcessorTimes(this.read(), this.cpus);
    if (this.before && now) {
      const busy = now.busy - this.before.busy;
      const all = busy + now.idle - this.before.idle;
      // The idle time of a processor may run back a little (proc_stat(5), iowait).
      if (busy >= 0 && all > 0) {
        this.busyPeak = Math.max(this.busyPeak ?? 0, Math.min(1, busy / all));
      }
    }
    this.before = now;
  }
}
