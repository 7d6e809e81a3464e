import { usableCpus } from '../../src/lane/agent-command.js';
import { inArena } from '../arena.js';
import { ratios, spread } from '../statistics.js';
import type { Goal, Measured, Row, Table } from '../table.js';
import type { Growth, GrowthInput } from '../trials/growth.js';
import { inTurn, type Outcome } from './compared.js';
import { goalOf } from './goal.js';

const POLLERS = { full: [100, 600, 2_000, 6_000], smoke: [50, 100] };

/** How much dearer an attempt, or a poller's memory, may be with the most pollers than with the fewest. */
const MOST = 1.25;

export const growth: Table = {
  name: 'growth',
  title: 'Growth',
  method: `The reference agent as a run starts it, pinned to one processor, with pollers of the \`issue\` model and envd's tick of 50 ms
against a port where nothing listens: each asks for 40 attempts/s, so that one processor is saturated from about 1,000
on. Attempts are the kernel's; memory is what the agent's resident memory has grown by since before the first poller. Ratios
are to the fewest pollers.`,
  async measure(effort, say): Promise<Measured> {
    const sizes = POLLERS[effort.isSmoke ? 'smoke' : 'full'];
    const [core = 0] = usableCpus();
    const outcomes = await inTurn(
      sizes.map((pollers) => {
        const input: GrowthInput = {
          pollers,
          core,
          warmUpSeconds: effort.isSmoke ? 0.2 : 3,
          seconds: effort.isSmoke ? 0.5 : 3,
        };
        return { label: label(pollers), once: () => inArena<Growth>('growth', input) };
      }),
      effort,
      say,
    );
    const at = (pollers: number): Figures | string =>
      figures(pollers, outcomes.get(label(pollers)));
    const [fewest = 0, most = 0] = [sizes[0], sizes.at(-1)];
    return {
      head: [
        ...['', 'asked for/s', 'attempts/s', 'CPU µs an attempt', 'ratio'],
        ...['memory MiB', 'KiB a poller', 'ratio'],
      ],
      rows: sizes.map((pollers) => row(pollers, at(pollers), at(fewest))),
      goals: [
        goal('processor time of an attempt', 'cpuMicros', at(most), at(fewest)),
        goal('memory of a poller', 'kibPerPoller', at(most), at(fewest)),
      ],
    };
  },
};

/** A figure for each repeat. */
interface Figures {
  perSecond: number[];
  cpuMicros: number[];
  mib: number[];
  kibPerPoller: number[];
}

function label(pollers: number): string {
  return `${pollers.toLocaleString('en-US')} pollers`;
}

function figures(pollers: number, outcome: Outcome<Growth> | undefined): Figures | string {
  if (!Array.isArray(outcome)) return outcome ?? 'not measured';
  return {
    perSecond: outcome.map((one) => one.perSecond),
    cpuMicros: outcome.map((one) => 1e6 / one.perCpuSecond),
    mib: outcome.map((one) => one.rssBytes / 2 ** 20),
    kibPerPoller: outcome.map((one) => (one.rssBytes - one.rssBytesBefore) / 2 ** 10 / pollers),
  };
}

function row(pollers: number, at: Figures | string, fewest: Figures | string): Row {
  const demand = pollers * 40;
  if (typeof at === 'string') {
    return { label: label(pollers), cells: [demand, at, '–', '–', '–', '–', '–'] };
  }
  const ratio = (figure: 'cpuMicros' | 'kibPerPoller') =>
    typeof fewest === 'string' ? '–' : ratios(at[figure], fewest[figure]);
  return {
    label: label(pollers),
    cells: [
      ...[demand, spread(at.perSecond), spread(at.cpuMicros), ratio('cpuMicros')],
      ...[spread(at.mib), spread(at.kibPerPoller), ratio('kibPerPoller')],
    ],
  };
}

function goal(
  what: string,
  figure: 'cpuMicros' | 'kibPerPoller',
  most: Figures | string,
  fewest: Figures | string,
): Goal {
  const text = `${what} stays flat: with the most pollers at most ${MOST} × that with the fewest`;
  if (typeof most === 'string' || typeof fewest === 'string') {
    return {
      text,
      measured: [most, fewest].find((one) => typeof one === 'string') as string,
      isMet: null,
    };
  }
  const value = ratios(most[figure], fewest[figure]);
  return goalOf(text, [{ name: 'ratio', value, isMet: value.median <= MOST }]);
}
