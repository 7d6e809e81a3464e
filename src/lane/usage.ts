import type { ProcessUse } from '../observe/proc/process.js';
import type { Usage } from '../results/schema.js';

/** More than a run of ten minutes has, at one a second. */
const MOST = 600;

/**
 * What a process tree used over time, in a bounded number of points: when there are too many, every
 * other one is left out. Peaks are kept elsewhere.
 */
export class UsageRecorder {
  private points: { tMs: number; use: ProcessUse }[] = [];
  private every = 1;
  private seen = 0;

  push(tMs: number, use: ProcessUse): void {
    if (tMs <= (this.points.at(-1)?.tMs ?? -1) || this.seen++ % this.every !== 0) return;
    this.points.push({ tMs, use });
    if (this.points.length <= MOST) return;
    this.points = this.points.filter((_, i) => i % 2 === 0);
    this.every *= 2;
  }

  series(): Usage {
    return {
      tMs: this.points.map(({ tMs }) => tMs),
      cpuSeconds: this.points.map(({ use }) => use.cpuSeconds),
      rssBytes: this.points.map(({ use }) => use.rssBytes),
      threads: this.points.map(({ use }) => use.threads),
      openFiles: this.points.map(({ use }) => use.openFiles),
    };
  }
}
