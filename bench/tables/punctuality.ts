import { usableCpus } from '../../src/lane/agent-command.js';
import { inArena } from '../arena.js';
import { percentile, spread } from '../statistics.js';
import type { Cell, Goal, Measured, Row, Table } from '../table.js';
import { whereIs } from '../toolbox.js';
import type { Pacer, Punctuality, PunctualityInput } from '../trials/punctuality.js';
import { type Candidate, inTurn, type Outcome } from './compared.js';
import { goalOf } from './goal.js';

const PACERS: readonly Pacer[] = ['envd-bench', 'autocannon', 'vegeta'];
const INTERVAL_MS = 100;
const MOST = { p99: 2, max: 20 };

export const punctuality: Table = {
  name: 'punctuality',
  title: 'Punctuality',
  method: `Ten \`/init\` a second for ten seconds, while one reference agent for each processor storms a port where nothing
listens in a closed loop (*storm* says how many processors that took). *slip at the server* is how late each request
arrived against an even grid of ${INTERVAL_MS} ms laid through the earliest: the server's clock, and the same rule for
all. *own slip* is what a run reports: how late the driver was against its intended instants. envd-bench is the
driver of a run (and probes \`/health\` beside it); autocannon runs with \`-R 10\`, [vegeta](https://github.com/tsenart/vegeta) with \`-rate 10/s\`.`,
  async measure(effort, say): Promise<Measured> {
    const seconds = effort.isSmoke ? 1 : 10;
    const outcomes = await inTurn(
      PACERS.map((pacer) => candidate(pacer, seconds)),
      effort,
      say,
    );
    return {
      head: [
        ...['', 'requests', 'slip at the server p99, ms', 'max, ms'],
        ...['own slip p99, ms', 'max, ms', 'storm, cores'],
      ],
      rows: [...outcomes].map(([label, outcome]) => row(label, outcome)),
      goals: [goal(outcomes.get('envd-bench') ?? 'not measured')],
    };
  },
};

function candidate(pacer: Pacer, seconds: number): Candidate<Punctuality> {
  const program = whereIs(pacer);
  if (pacer === 'vegeta' && !program) return { label: pacer, once: 'not installed' };
  const input: PunctualityInput = {
    ...{ pacer, seconds, storms: usableCpus().length },
    ...(program !== undefined && { program }),
  };
  return { label: pacer, once: () => inArena<Punctuality>('punctuality', input) };
}

/** How late each arrival is against an even grid through the earliest, ms. */
export function slips(arrivalsMs: readonly number[]): number[] {
  const offsets = arrivalsMs.map((at, i) => at - i * INTERVAL_MS);
  const earliest = Math.min(...offsets);
  return offsets.map((offset) => offset - earliest);
}

function row(label: string, outcome: Outcome<Punctuality>): Row {
  if (typeof outcome === 'string') return { label, cells: [outcome, '–', '–', '–', '–', '–'] };
  const late = outcome.map(({ arrivalsMs }) => slips(arrivalsMs));
  return {
    label,
    cells: [
      spread(outcome.map(({ arrivalsMs }) => arrivalsMs.length)),
      spread(late.map((one) => percentile(one, 0.99))),
      spread(late.map((one) => Math.max(...one))),
      own(outcome, 'p99'),
      own(outcome, 'max'),
      spread(outcome.map(({ stormCores }) => stormCores)),
    ],
  };
}

function own(outcome: readonly Punctuality[], figure: 'p99' | 'max'): Cell {
  const values = outcome.flatMap(({ ownSlipMs }) => (ownSlipMs ? [ownSlipMs[figure]] : []));
  return values.length === 0 ? '–' : spread(values);
}

/** Of every repeat, not of the median one: the latest of all is what a run would have shown. */
function goal(ours: Outcome<Punctuality>): Goal {
  const text = `the driver's own slip p99 at most ${MOST.p99} ms (median) and max at most ${MOST.max} ms (of all repeats)`;
  if (typeof ours === 'string') return { text, measured: ours, isMet: null };
  const p99 = spread(ours.map(({ ownSlipMs }) => ownSlipMs?.p99 ?? Number.NaN));
  const max = spread(ours.map(({ ownSlipMs }) => ownSlipMs?.max ?? Number.NaN));
  return goalOf(text, [
    { name: 'p99', value: p99, isMet: p99.median <= MOST.p99 },
    { name: 'max', value: max, isMet: max.max <= MOST.max },
  ]);
}
