import { parentPort, workerData } from 'node:worker_threads';
import fc from 'fast-check';
import { TARGETS } from './targets/index.js';

/** What a worker is given, and how it tells how far it is. */
export interface FuzzJob {
  name: string;
  inputs: number;
  seed: number;
  /** Shared: the number of inputs tried. */
  tried: Int32Array;
}

const { name, inputs, seed, tried } = workerData as FuzzJob;
const target = TARGETS.find((one) => one.name === name);
if (!target) throw new Error(`no target ${name}`);

// What goes wrong beside the call that is awaited is a crash all the same.
process.on('unhandledRejection', (thrown) => {
  throw thrown;
});
const property = fc.asyncProperty(target.input, async (input) => {
  Atomics.add(tried, 0, 1);
  await target.check(input);
});
const { failed, errorInstance, counterexample } = await fc.check(property, {
  numRuns: inputs,
  seed,
});
const failure = failed
  ? `${stackOf(errorInstance).slice(0, 1_500)}\nwith ${shown(counterexample?.[0])}`
  : null;
await target.close?.();
parentPort?.postMessage(failure);

function stackOf(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}

/** An input as a person can read it: bytes as text. */
function shown(input: unknown): string {
  const text = (_: string, value: unknown) =>
    (value as { type?: unknown } | null)?.type === 'Buffer'
      ? Buffer.from(value as Buffer).toString('latin1')
      : value;
  return JSON.stringify(input, text).slice(0, 3_000);
}
