import type { LaneResult } from '../../src/results/schema.js';
import { inArena } from '../arena.js';
import { measure } from '../cli.js';
import { ratios, spread } from '../statistics.js';
import type { Cell, Effort, Goal, Measured, Row, Table } from '../table.js';
import { type Limit, withLimit } from '../toolbox.js';
import type { Attempts } from '../trials/meter.js';
import { type Candidate, inTurn, type Outcome } from './compared.js';
import { goalOf } from './goal.js';

/** The figure: 600 pollers, 40 attempts/s each. */
const ASKED_FOR = 24_000;

/** What the goals ask for, of the figure and of the machine's limit. */
const LEAST = { refused: 0.99, served: 0.75 };

/** What one run says of the storm: of its first lane, the unguarded one. */
interface Storm {
  perSecondPeak: number;
  /** How late the driver was, ms. */
  slipP99: number;
  slipMax: number;
}

const REFUSED = 'run: refused';
const SERVED = 'run: http-error, envd poller';
const LIMIT = 'limit: served, both cores';

export const figure: Table = {
  name: 'figure',
  title: 'The figure',
  method: `The default \`run --interval 100ms\` of a minute, two lanes side by side, and the same with \`--fault http-error
--poller envd\`: \`connections.perSecondPeak\` of the unguarded lane, from the kernel's ActiveOpens. *limit* is the C
pair of \`bench/limit/\` with 100 attempts under way, free to use all the processors that a run has, over loopback (a run crosses a veth pair, and
has a second lane, a driver and a sampler beside it: the bar is high). Ratios of the refused run are to the
${ASKED_FOR.toLocaleString('en-US')}/s that the issue asks for, those of the served one to the limit that was measured beside it.`,
  measure: (effort, say) => withLimit((limit) => measureAll(limit, effort, say)),
};

async function measureAll(
  limit: Limit | undefined,
  effort: Effort,
  say: (what: string) => void,
): Promise<Measured> {
  const storms = await inTurn<Storm | Attempts>(
    [
      { label: REFUSED, once: () => storm([], effort) },
      { label: SERVED, once: () => storm(['--fault', 'http-error', '--poller', 'envd'], effort) },
      limitCandidate(limit, effort),
    ],
    effort,
    say,
  );
  const refused = storms.get(REFUSED) as Outcome<Storm>;
  const served = storms.get(SERVED) as Outcome<Storm>;
  const machine = storms.get(LIMIT) as Outcome<Attempts>;
  return {
    head: ['', 'connections/s', 'ratio', 'slip p99, ms', 'slip max, ms'],
    rows: [
      row(REFUSED, refused, refusedRatio),
      row(SERVED, served, (peaks) => servedRatio(peaks, machine)),
      {
        label: LIMIT,
        cells: [
          typeof machine === 'string' ? machine : spread(machine.map((one) => one.perSecond)),
          ...['–', '–', '–'],
        ],
      },
    ],
    goals: [
      goal(
        `refused: at least ${LEAST.refused} × ${ASKED_FOR.toLocaleString('en-US')}/s`,
        refused,
        refusedRatio,
        LEAST.refused,
      ),
      goal(
        `served: at least ${LEAST.served} × the limit`,
        served,
        (peaks) => servedRatio(peaks, machine),
        LEAST.served,
      ),
    ],
  };
}

function limitCandidate(limit: Limit | undefined, { isSmoke }: Effort): Candidate<Attempts> {
  if (!limit) return { label: LIMIT, once: 'no compiler' };
  const input = { client: 'limit', program: limit.client, server: limit.server };
  const seconds = isSmoke ? 0.5 : 5;
  return { label: LIMIT, once: () => inArena<Attempts>('attempts', { ...input, seconds }) };
}

async function storm(args: readonly string[], { isSmoke }: Effort): Promise<Storm> {
  const outage = isSmoke ? '2s' : '60s';
  const { lanes } = await measure(['--interval', '100ms', '--outage', outage, ...args]);
  return stormOf(lanes[0]);
}

function stormOf(lane: LaneResult | undefined): Storm {
  const perSecondPeak = lane?.connections.perSecondPeak;
  const slip = lane?.init.slipMs;
  if (!lane || lane.trouble) throw new Error(lane?.trouble ?? 'no lane');
  if (
    typeof perSecondPeak !== 'number' ||
    typeof slip?.p99 !== 'number' ||
    typeof slip.max !== 'number'
  ) {
    throw new Error('the run has no peak, or no slip');
  }
  return { perSecondPeak, slipP99: slip.p99, slipMax: slip.max };
}

function refusedRatio(peaks: readonly number[]): Cell {
  return spread(peaks.map((peak) => peak / ASKED_FOR));
}

function servedRatio(peaks: readonly number[], machine: Outcome<Attempts>): Cell {
  if (typeof machine === 'string') return machine;
  return ratios(
    peaks,
    machine.map((one) => one.perSecond),
  );
}

function row(label: string, storms: Outcome<Storm>, ratio: (peaks: number[]) => Cell): Row {
  if (typeof storms === 'string') return { label, cells: [storms, '–', '–', '–'] };
  const peaks = storms.map((one) => one.perSecondPeak);
  return {
    label,
    cells: [
      spread(peaks),
      ratio(peaks),
      spread(storms.map((one) => one.slipP99)),
      spread(storms.map((one) => one.slipMax)),
    ],
  };
}

function goal(
  text: string,
  storms: Outcome<Storm>,
  ratio: (peaks: number[]) => Cell,
  least: number,
): Goal {
  const value = typeof storms === 'string' ? storms : ratio(storms.map((one) => one.perSecondPeak));
  if (typeof value === 'string') return { text, measured: value, isMet: null };
  const median = typeof value === 'number' ? value : value.median;
  return goalOf(text, [{ name: 'ratio', value, isMet: median >= least }]);
}
