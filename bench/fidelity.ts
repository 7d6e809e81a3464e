import { parseArgs } from 'node:util';
import { faults } from '../src/mmds/faults/index.js';
import type { LaneResult } from '../src/results/schema.js';
import { count, measure, table } from './cli.js';

/**
 * The reference agent with the `envd` poller beside a real binary, under every fault:
 *
 *   ENVD_BINARY=/path/to/envd npm run bench:fidelity -- --outage 60s
 */
const { values } = parseArgs({
  options: {
    outage: { type: 'string', default: '20s' },
    interval: { type: 'string', default: '100ms' },
    fault: { type: 'string', default: [...faults.keys()].join(',') },
    guard: { type: 'string', default: 'unguarded' },
  },
});
const binary = process.env.ENVD_BINARY;
if (!binary) {
  process.stderr.write(
    'ENVD_BINARY is not set: ENVD_BINARY=/path/to/envd npm run bench:fidelity\n',
  );
  process.exit(2);
}

const rows: string[][] = [];
for (const fault of values.fault.split(',')) {
  process.stderr.write(`${fault} …\n`);
  const { lanes } = await measure([
    ...['--fault', fault, '--outage', values.outage, '--interval', values.interval],
    // In turn: each has the machine to itself.
    ...['--poller', 'envd', '--sequential'],
    ...['--agent', `reference=${values.guard}`],
    ...['--agent', `real=${binary} -isnotfc -no-cgroups`],
  ]);
  const [reference, real] = lanes;
  if (!reference || !real) throw new Error('two lanes were expected');
  rows.push([
    fault,
    ...compare(reference, real, ({ pollers }) => pollers.peak),
    real.pollers.source ?? '–',
    ...compare(reference, real, ({ connections }) => connections.total),
    ...compare(reference, real, ({ connections }) => connections.perSecondPeak),
  ]);
}
const head = ['fault'].concat(
  ['pollers: reference', 'real', 'difference', 'counted by'],
  ['connections: reference', 'real', 'difference'],
  ['connections/s peak: reference', 'real', 'difference'],
);
process.stdout.write(`${table(head, rows)}\n`);

function compare(
  reference: LaneResult,
  real: LaneResult,
  figure: (lane: LaneResult) => number | null,
): string[] {
  const [ours, theirs] = [figure(reference), figure(real)];
  const difference =
    ours === null || theirs === null || theirs === 0
      ? '–'
      : `${ours >= theirs ? '+' : '−'}${Math.abs((ours / theirs - 1) * 100).toFixed(1)} %`;
  return [count(ours), count(theirs), difference];
}
