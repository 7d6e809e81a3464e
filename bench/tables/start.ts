import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { wallMs } from '../arena.js';
import { measure } from '../cli.js';
import { ratios, spread } from '../statistics.js';
import type { Goal, Measured, Row, Table } from '../table.js';
import { inTurn, type Outcome } from './compared.js';
import { goalOf } from './goal.js';

const BIN = fileURLToPath(new URL('../../../bin/run.js', import.meta.url));
const AUTOCANNON = createRequire(import.meta.url).resolve('autocannon/autocannon.js');

const YARDSTICK = 'autocannon --version';
const COMMANDS = new Map([
  [YARDSTICK, [process.execPath, AUTOCANNON, '--version']],
  ['envd-bench --version', [process.execPath, BIN, '--version']],
  ['envd-bench plan', [process.execPath, BIN, 'plan']],
]);

const MOST = { times: 1.3, setUpMs: 300 };

/** A start is short: many of them, and many lanes, make up for what the machine does beside. */
const STARTS = { full: 20, smoke: 1 };
const SET_UPS = { full: 8, smoke: 1 };

const SET_UP = 'lane set-up, two lanes side by side';

export const start: Table = {
  name: 'start',
  title: 'Start',
  method: `Wall time of a whole process, ${STARTS.full} times each in turn, after one that fills the page cache; the ratio is to
\`autocannon --version\`. A lane's set-up is \`setupMs\` of a result: its networks, and the agent started in one;
the slower lane of ${SET_UPS.full} short runs.`,
  async measure(effort, say): Promise<Measured> {
    const size = effort.isSmoke ? 'smoke' : 'full';
    const starts = await inTurn(
      [...COMMANDS].map(([label, command]) => ({ label, once: () => wallMs(command) })),
      { ...effort, repeats: STARTS[size] + 1 },
      say,
    );
    const setUps = await inTurn(
      [{ label: SET_UP, once: slowestSetUp }],
      { ...effort, repeats: SET_UPS[size] },
      say,
    );
    const warm = new Map(
      [...starts].map(([label, outcome]) => [
        label,
        Array.isArray(outcome) ? outcome.slice(1) : outcome,
      ]),
    );
    const setUp = setUps.get(SET_UP) ?? 'not measured';
    return {
      head: ['', 'ms', 'ratio'],
      rows: [
        ...[...warm].map(([label, outcome]) => row(label, outcome, warm.get(YARDSTICK))),
        { label: SET_UP, cells: [Array.isArray(setUp) ? spread(setUp) : setUp, '–'] },
      ],
      goals: [
        ...[...warm.keys()]
          .filter((label) => label !== YARDSTICK)
          .map((label) => startGoal(label, warm.get(label), warm.get(YARDSTICK))),
        setUpGoal(setUp),
      ],
    };
  },
};

async function slowestSetUp(): Promise<number> {
  const { lanes } = await measure(['--outage', '1s']);
  const times = lanes.map(({ setupMs }) => setupMs ?? Number.NaN);
  const slowest = Math.max(...times);
  if (!Number.isFinite(slowest)) throw new Error('the run has no set-up time');
  return slowest;
}

function row(label: string, times: Outcome<number>, yardstick: Outcome<number> | undefined): Row {
  if (!Array.isArray(times)) return { label, cells: [times, '–'] };
  return {
    label,
    cells: [spread(times), Array.isArray(yardstick) ? ratios(times, yardstick) : '–'],
  };
}

function startGoal(
  label: string,
  times: Outcome<number> | undefined,
  yardstick: Outcome<number> | undefined,
): Goal {
  const text = `${label} at most ${MOST.times} × ${YARDSTICK}`;
  if (!Array.isArray(times) || !Array.isArray(yardstick)) {
    return { text, measured: 'one of them failed', isMet: null };
  }
  const value = ratios(times, yardstick);
  return goalOf(text, [{ name: 'ratio', value, isMet: value.median <= MOST.times }]);
}

function setUpGoal(times: Outcome<number>): Goal {
  const text = `lane set-up at most ${MOST.setUpMs} ms`;
  if (!Array.isArray(times)) return { text, measured: times, isMet: null };
  const value = spread(times);
  return goalOf(text, [{ name: 'ms', value, isMet: value.median <= MOST.setUpMs }]);
}
