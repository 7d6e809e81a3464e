import { inArena } from '../arena.js';
import { spread } from '../statistics.js';
import type { Cell, Goal, Measured, Table } from '../table.js';
import { whereIs } from '../toolbox.js';
import type { Agreement, AgreementInput } from '../trials/agreement.js';
import type { Watching, WatchingInput } from '../trials/watching.js';
import { inTurn, type Outcome } from './compared.js';
import { goalOf } from './goal.js';

/** Goals: share of a processor, and how far two counts may lie apart, both in percent. */
const MOST = { share: 1, apart: 0.1 };

const SOCKETS = { full: 28_000, smoke: 1_000 };

export const watching: Table = {
  name: 'watching',
  title: 'Watching',
  method: `The sampler of a lane at 10 Hz, alone in a process, in a namespace with ${SOCKETS.full.toLocaleString('en-US')} sockets in TIME_WAIT: real
connections to one address that were made and closed. Processor time is all that the process took, user and system, after two seconds of
warm-up, and the reading of an idle agent's counters and process tree is part of it. Beside it what ten \`ss -tan\` a
second would take (ten runs). Then a storm of 100 pollers with \`http-error\`, counted three times: connections
that the kernel opened, that MMDS accepted, and attempts that the agent says it made; *apart* is the largest difference over the
kernel's count.`,
  async measure(effort, say): Promise<Measured> {
    const { isSmoke } = effort;
    const sampling: WatchingInput = {
      sockets: SOCKETS[isSmoke ? 'smoke' : 'full'],
      seconds: isSmoke ? 0.5 : 8,
      ss: whereIs('ss') ?? null,
    };
    const counting: AgreementInput = { pollers: 100, seconds: isSmoke ? 0.5 : 5 };
    const watched = await inTurn(
      [{ label: 'sampler', once: () => inArena<Watching>('watching', sampling) }],
      effort,
      say,
    );
    const agreed = await inTurn(
      [{ label: 'counts', once: () => inArena<Agreement>('agreement', counting) }],
      effort,
      say,
    );
    return table(watched.get('sampler') ?? '', agreed.get('counts') ?? '');
  },
};

function table(sampler: Outcome<Watching>, counts: Outcome<Agreement>): Measured {
  const share = of(sampler, (one) => one.share * 100);
  const apart = of(counts, apartPercent);
  const { ssShare } = (Array.isArray(sampler) && sampler[0]) || { ssShare: null };
  return {
    head: ['', 'figure'],
    rows: [
      {
        label: 'sockets in TIME_WAIT at its begin',
        cells: [of(sampler, (one) => one.socketsBefore)],
      },
      { label: 'at its end', cells: [of(sampler, (one) => one.socketsAfter)] },
      { label: 'samples', cells: [of(sampler, (one) => one.samples)] },
      { label: 'sampler, % of a core', cells: [share] },
      {
        label: 'ss -tan at the same rate, % of a core',
        cells: [
          typeof sampler !== 'string' && ssShare === null
            ? 'not installed'
            : of(sampler, (one) => (one.ssShare ?? Number.NaN) * 100),
        ],
      },
      { label: 'connections: the kernel', cells: [of(counts, (one) => one.kernel)] },
      { label: 'MMDS', cells: [of(counts, (one) => one.mmds)] },
      { label: 'the agent', cells: [of(counts, (one) => one.agent)] },
      { label: 'apart, %', cells: [apart] },
    ],
    goals: [
      goal(`sampler at most ${MOST.share} % of a core`, share, MOST.share),
      goal(`the three counts at most ${MOST.apart} % apart`, apart, MOST.apart),
    ],
  };
}

function apartPercent({ kernel, mmds, agent }: Agreement): number {
  return ((Math.max(kernel, mmds, agent) - Math.min(kernel, mmds, agent)) / kernel) * 100;
}

function of<Output>(outcome: Outcome<Output>, figure: (one: Output) => number): Cell {
  return typeof outcome === 'string' ? outcome : spread(outcome.map(figure));
}

function goal(text: string, value: Cell, most: number): Goal {
  if (typeof value === 'string') return { text, measured: value, isMet: null };
  const worst = typeof value === 'number' ? value : value.max;
  return goalOf(text, [{ name: 'measured', value, isMet: worst <= most }]);
}
