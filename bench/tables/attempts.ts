import { usableCpus } from '../../src/lane/agent-command.js';
import { inArena } from '../arena.js';
import { ratios, spread } from '../statistics.js';
import type { Cell, Effort, Goal, Measured, Row, Table } from '../table.js';
import { type Limit, whereIs, withLimit } from '../toolbox.js';
import type { AttemptsInput, Client } from '../trials/attempts.js';
import type { Attempts } from '../trials/meter.js';
import { type Candidate, inTurn, type Outcome } from './compared.js';
import { goalOf } from './goal.js';

type Kind = 'served' | 'refused';

/** Who can be asked for what: wrk and ab stop at a refusal. */
const CLIENTS: Record<Kind, readonly Client[]> = {
  served: ['envd-bench', 'limit', 'wrk', 'ab', 'autocannon'],
  refused: ['envd-bench', 'limit', 'wrk', 'ab', 'autocannon'],
};
const ENDS_WHEN_REFUSED: readonly Client[] = ['wrk', 'ab'];

const GOALS: readonly { kind: Kind; client: Client; least: number }[] = [
  { kind: 'served', client: 'wrk', least: 1 },
  { kind: 'served', client: 'limit', least: 0.75 },
  { kind: 'refused', client: 'limit', least: 0.75 },
];

export const attempts: Table = {
  name: 'attempts',
  title: 'Attempts per second per core',
  method: `Every client keeps 100 attempts under way, one TCP connection and one request each, and is
pinned to one processor; the server is the C program of \`bench/limit/\`, pinned to another, and leaves the close to
the client as MMDS does (ab alone waits for the server's close, so for it the server closes first). *envd-bench* is the reference agent
as a run starts it, with 100 pollers whose ticker is always late (\`--tick-ms 0.001\`): a closed loop of the same
attempts. *limit* is a C client with no more system calls than an attempt needs. autocannon reconnects for every request
(\`--reconnectRate 1\`). All are held to one ruler: attempts are the kernel's ActiveOpens in a fresh
network namespace, processor time is that of the client's process tree, both over the same window after a second of warm-up; and a
trial counts only if the server gave one answer a connection. Ratios are envd-bench over the row, repeat by repeat.`,
  measure: (effort, say) => withLimit((limit) => measure(limit, effort, say)),
};

async function measure(
  limit: Limit | undefined,
  effort: Effort,
  say: (what: string) => void,
): Promise<Measured> {
  const rows: Row[] = [];
  const outcomes = new Map<Kind, Map<string, Outcome<Attempts>>>();
  for (const kind of ['served', 'refused'] as const) {
    const candidates = CLIENTS[kind].map((client) => candidate(kind, client, limit, effort));
    const outcome = await inTurn(candidates, effort, say);
    outcomes.set(kind, outcome);
    const ours = outcome.get(label(kind, 'envd-bench'));
    for (const [label, theirs] of outcome) rows.push({ label, cells: cells(ours, theirs) });
  }
  return {
    head: ['client', 'attempts/s', 'attempts/CPU s', 'ratio, /s', 'ratio, /CPU s'],
    rows,
    goals: GOALS.map(({ kind, client, least }) => goal(kind, client, least, outcomes.get(kind))),
  };
}

function label(kind: Kind, client: Client): string {
  return `${kind}: ${client}`;
}

function candidate(
  kind: Kind,
  client: Client,
  limit: Limit | undefined,
  { isSmoke }: Effort,
): Candidate<Attempts> {
  return { label: label(kind, client), once: reasonNot() ?? once };

  function reasonNot(): string | undefined {
    if (kind === 'refused' && ENDS_WHEN_REFUSED.includes(client)) return 'ends when refused';
    if ((kind === 'served' || client === 'limit') && !limit) return 'no compiler';
    if ((client === 'wrk' || client === 'ab') && !whereIs(client)) return 'not installed';
    return undefined;
  }

  function once(): Promise<Attempts> {
    const program = client === 'limit' ? limit?.client : whereIs(client);
    const [first, second = first] = usableCpus();
    const input: AttemptsInput = {
      client,
      seconds: isSmoke ? 0.5 : 3,
      ...(program !== undefined && { program }),
      ...(kind === 'served' && limit && { server: limit.server }),
      ...(first !== undefined && second !== undefined && { cores: [first, second] }),
    };
    return inArena<Attempts>('attempts', input);
  }
}

function cells(ours: Outcome<Attempts> | undefined, theirs: Outcome<Attempts>): Cell[] {
  if (typeof theirs === 'string') return [theirs, theirs, '–', '–'];
  const both = (['perSecond', 'perCpuSecond'] as const).map((figure) => ({
    theirs: theirs.map((one) => one[figure]),
    ours: Array.isArray(ours) ? ours.map((one) => one[figure]) : undefined,
  }));
  return [
    ...both.map((one) => spread(one.theirs)),
    ...both.map((one) => (one.ours ? ratios(one.ours, one.theirs) : '–')),
  ];
}

/** Both by the clock and by the processor time: a client that idles would else look better than it is. */
function goal(
  kind: Kind,
  client: Client,
  least: number,
  outcome: Map<string, Outcome<Attempts>> | undefined,
): Goal {
  const text = `${kind} attempts at least ${least.toFixed(2)} × ${client}, by the clock and by processor time`;
  const ours = outcome?.get(label(kind, 'envd-bench'));
  const theirs = outcome?.get(label(kind, client));
  if (!Array.isArray(ours) || !Array.isArray(theirs)) {
    return {
      text,
      measured: [ours, theirs].find((one) => typeof one === 'string') ?? '',
      isMet: null,
    };
  }
  const byClock = ratios(pick(ours, 'perSecond'), pick(theirs, 'perSecond'));
  const byCpu = ratios(pick(ours, 'perCpuSecond'), pick(theirs, 'perCpuSecond'));
  return goalOf(text, [
    { name: 'by the clock', value: byClock, isMet: byClock.median >= least },
    { name: 'by processor time', value: byCpu, isMet: byCpu.median >= least },
  ]);
}

function pick(all: readonly Attempts[], figure: keyof Attempts): number[] {
  return all.map((one) => one[figure]);
}
