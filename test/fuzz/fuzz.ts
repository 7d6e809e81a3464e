import { setInterval as every } from 'node:timers';
import { Worker } from 'node:worker_threads';
import type { FuzzJob } from './worker.js';

/** What came of a target. */
export interface FuzzOutcome {
  tried: number;
  /** What went wrong, with the shrunk input; null when nothing did. */
  failure: string | null;
}

/** An input that takes longer hangs, ms: the slowest takes a few hundred. */
const HANGS_AFTER_MS = 30_000;

/** All that a target may keep, MiB: what grows with the inputs does not fit. */
const MEMORY_MB = 256;

/** Tries a target in a thread of its own, where it may hang, crash or eat its memory. */
export function fuzz(name: string, inputs: number, seed: number): Promise<FuzzOutcome> {
  const tried = new Int32Array(new SharedArrayBuffer(4));
  const workerData: FuzzJob = { name, inputs, seed, tried };
  const worker = new Worker(new URL('./worker.js', import.meta.url), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  return new Promise((resolve) => {
    let last = { count: -1, atMs: performance.now() };
    const finish = (failure: string | null): void => {
      clearInterval(watch);
      void worker.terminate();
      resolve({ tried: tried[0] ?? 0, failure });
    };
    const watch = every(() => {
      const count = tried[0] ?? 0;
      if (count !== last.count) last = { count, atMs: performance.now() };
      else if (performance.now() - last.atMs > HANGS_AFTER_MS) finish(`input ${count} hangs`);
    }, 500);
    worker.once('message', finish);
    worker.once('error', (error) => finish(`it crashed: ${error.stack}`));
    worker.once('exit', () => finish('it ended at once'));
  });
}
