import { parseArgs } from 'node:util';
import { simulate } from '../src/model/simulation.js';
import { together } from '../src/planning/fleet.js';
import { schedule, usualSandbox } from '../test/model/sandbox.js';
import { table } from './cli.js';

/**
 * What the model costs: one sandbox by the interval and by the outage, and a staggered fleet. The
 * time for each poller-second, or sandbox, must not rise with their number.
 *
 *   npm run bench:model
 */
const { values } = parseArgs({ options: { repeat: { type: 'string', default: '5' } } });
const repeats = Number(values.repeat);

/** The least of several times, ms: what others do on the machine only adds. */
function timed(run: () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < repeats; i++) {
    const before = process.hrtime.bigint();
    run();
    least = Math.min(least, Number(process.hrtime.bigint() - before) / 1e6);
  }
  return least;
}

const sandboxes: string[][] = [];
for (const fault of ['refused', 'http-error', 'hang', 'slow', 'flap']) {
  for (const [intervalMs, outageMs] of [
    [100, 60_000],
    // No two pollers in step: the model's worst case.
    [99.25, 60_000],
    [10, 60_000],
    [100, 600_000],
  ] as const) {
    const input = { ...usualSandbox, faults: schedule(fault), intervalMs, outageMs };
    const ms = timed(() => simulate(input));
    const { pollers } = simulate(input).series;
    const pollerSeconds = pollers.reduce((sum, n) => sum + n, 0) / 10;
    sandboxes.push([
      fault,
      `${intervalMs}`,
      `${outageMs / 1e3}`,
      ms.toFixed(1),
      ((ms * 1e3) / pollerSeconds).toFixed(2),
    ]);
  }
}
process.stdout.write(
  table(['fault', 'interval ms', 'outage s', 'ms', 'µs a poller-second'], sandboxes),
);

const storm = simulate(usualSandbox);
const fleets = [1000, 10_000, 100_000].map((count) => {
  const shape = { sandboxesPerHost: 200, hosts: count / 200, staggerMs: 60_000, seed: 1 };
  const ms = timed(() => together(storm, shape));
  return [`${count}`, ms.toFixed(0), ((ms * 1e3) / count).toFixed(1)];
});
process.stdout.write(`\n${table(['sandboxes, staggered', 'ms', 'µs a sandbox'], fleets)}`);
