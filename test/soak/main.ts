import { parseArgs } from 'node:util';
import { table } from '../../bench/cli.js';
import { whyNoNamespaces } from '../../src/lane/network/namespaces.js';
import { drawKills } from './draw.js';
import { type Outcome, seconds, tryKill } from './trial.js';
import { VICTIMS } from './victims.js';

/**
 * Kills the parts of short runs at random moments, and looks at what is left:
 *
 *   npm run soak -- --kills 200 --seed 1
 *
 * Exit code 1 when anything is not as promised; it goes on to the end all the same.
 */
const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    /** Of so many kills only the one with this number, from 0: to see a failure again. */
    only: { type: 'string' },
    'side-by-side': { type: 'string', default: '2' },
  },
});
const seed = whole('seed');
const noNamespaces = await whyNoNamespaces();
if (noNamespaces !== undefined) say(`loopback alone: no network namespaces (${noNamespaces})`);
const isolations =
  noNamespaces === undefined ? (['netns', 'loopback'] as const) : (['loopback'] as const);
const kills = drawKills(whole('kills'), seed, isolations);
const wanted = [...kills.entries()].filter(
  ([i]) => values.only === undefined || i === whole('only'),
);
const began = Date.now();
const outcomes: Outcome[] = [];
const failures: string[] = [];

await Promise.all(Array.from({ length: whole('side-by-side') }, work));

const rows = VICTIMS.map((victim) => {
  const of = outcomes.filter(({ kill }) => kill.victim === victim);
  const met = of.filter(({ wasMet }) => wasMet);
  return [
    victim,
    `${of.length}`,
    `${met.length}`,
    ...[0, 1, 2, 130].map((code) => `${met.filter((one) => one.code === code).length}`),
    `${met.filter(({ code }) => code === null).length}`,
    seconds(Math.max(0, ...met.map(({ overAfterMs }) => overAfterMs ?? 0))),
    seconds(Math.max(0, ...met.map(({ endedAfterMs }) => endedAfterMs))),
    seconds(Math.max(0, ...met.map(({ endedAfterMs, goneAfterMs }) => goneAfterMs - endedAfterMs))),
    `${of.filter(({ wrong }) => wrong.length > 0).length}`,
  ];
});
const head = ['victim', 'drawn', 'met', 'exit 0', '1', '2', '130', 'signal'];
process.stdout.write(
  `${table([...head, 'longest until told or over, s', 'until the end of the run, s', 'until nothing is left, s', 'failed'], rows)}\n\n` +
    `${outcomes.length} kills in ${seconds(Date.now() - began)} s, seed ${seed}, ` +
    `uid ${process.getuid?.()}: ${outcomes.filter(({ wrong }) => wrong.length > 0).length} failed\n`,
);
if (failures.length > 0) {
  process.stdout.write(`${failures.join('\n')}\n`);
  process.exitCode = 1;
}

async function work(): Promise<void> {
  for (let next = wanted.shift(); next; next = wanted.shift()) {
    const [number, kill] = next;
    const outcome = await tryKill(kill);
    outcomes.push(outcome);
    const { victim, blow, atMs, from, isolation } = kill;
    const what = `${number}: ${blow} to ${victim} ${seconds(atMs)} s after the ${from} (${isolation})`;
    const end = `exit ${outcome.code}, ${seconds(outcome.endedAfterMs)} s later`;
    say(`${what}: ${outcome.wasMet ? end : 'not met'}${outcome.wrong.length > 0 ? ' FAILED' : ''}`);
    if (outcome.wrong.length === 0) continue;
    failures.push(`kill ${what}, ${end}:\n  ${outcome.wrong.join('\n  ')}`);
    if (outcome.stderr) failures.push(`  stderr: ${outcome.stderr.trim().replaceAll('\n', ' | ')}`);
    say(failures.slice(-2).join('\n'));
  }
}

function whole(name: 'kills' | 'seed' | 'side-by-side' | 'only'): number {
  const value = Number(values[name]);
  if (Number.isSafeInteger(value) && value >= 0 && value <= 1e9) return value;
  process.stderr.write(`--${name} ${JSON.stringify(values[name])} is not a whole number\n`);
  process.exit(2);
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
