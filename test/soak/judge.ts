import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { journalId } from '../../src/results/journal/format.js';
import { type LaneResult, type Result, resultSchema } from '../../src/results/schema.js';
import type { Finished } from '../e2e/cli.js';
import type { Kill } from './trial.js';
import type { Seen } from './victims.js';

/** What a saved document is called; all else is a leftover, but for what a main process left that was killed. */
const SAVED = /^\d{8}T\d{6}\.\d{3}Z-[0-9a-f]{12}\.json$/;

/** A result that was being written when the process was killed; the next run takes it away. */
const HALF = /^\.\d{8}T\d{6}\.\d{3}Z-[0-9a-f]{12}-[0-9a-f]{12}\.tmp$/;

/** How a line names what was done. */
export const NAMED: Record<Kill['blow'], RegExp> = {
  SIGTERM: /SIGTERM|stopped polling/,
  SIGKILL: /SIGKILL/,
  SIGSTOP: /SIGSTOP/,
  pause: /SIGSTOP|no sample|no counters/,
  twice: /./,
};

/** The shell's words, and those of Node's own errors, name nobody. */
const NAMELESS =
  /exited 1[2-9]\d|it said: (Killed|Terminated|Stopped)|ended \(|unexpected:|Command failed/;

const NOTHING_MEASURED = /interrupted before anything was measured: nothing is saved/;

/** A driver on a busy machine; no death. */
const BUSY = /^the driver could send only \d+ of \d+ \/init$/;

/** The most that a count of pollers may be old, ms: one second, and the samples on both sides. */
const STALE_AFTER_MS = 1_400;

/** A command that ended although somebody struck. */
export interface Struck {
  kill: Kill;
  target: Seen | undefined;
  /** From an agent's first attempt to the blow, ms; undefined when that is not known. */
  intoStormMs: number | undefined;
  end: Finished;
  /** The folder for results. */
  out: string;
  /** Says why a file cannot be reported; undefined when it can. */
  readable(file: string): Promise<string | undefined>;
}

/** Does what it says and saved hold? @returns what does not, one line each */
export async function faultsOf(struck: Struck): Promise<string[]> {
  const { kill, target, intoStormMs, end, out, readable } = struck;
  const wrong: string[] = [];
  const results: Result[] = [];
  for (const name of readdirSync(out)) {
    const path = join(out, name);
    const isJournal = journalId(name) !== undefined;
    const wasCutOff = kill.victim === 'main' && kill.blow === 'SIGKILL';
    if (!SAVED.test(name) && !(wasCutOff && (isJournal || HALF.test(name)))) {
      wrong.push(`left: file ${name} among the results`);
      continue;
    }
    if (HALF.test(name)) continue;
    const refusal = await readable(path);
    if (isJournal) {
      if (refusal !== undefined) wrong.push(`report cannot read ${name}: ${refusal}`);
      continue;
    }
    if (refusal !== undefined) wrong.push(`report cannot read ${name}: ${refusal}`);
    else results.push(resultSchema.parse(JSON.parse(readFileSync(path, 'utf8'))));
  }
  const told = [end.stderr, ...results.flatMap(troublesOf), ...results.flatMap(notesOf)].join('\n');
  if (NAMELESS.test(told)) wrong.push(`names nobody: ${told.match(NAMELESS)?.[0]}`);
  const lanes = results.flatMap((result) => result.lanes);
  wrong.push(...lanes.flatMap((lane) => wrongFigures(lane, results[0]?.complete ?? false)));
  if (target && kill.victim !== 'main') wrong.push(...wrongEnd(kill, end, results, told));
  else wrong.push(...wrongEndOfMain(kill, target !== undefined, end, results));
  if (mustBeTold(kill, intoStormMs) && !NAMED[kill.blow].test(told)) wrong.push('nobody was told');
  return wrong.map((line) => line.replaceAll('\n', ' ').slice(0, 400));
}

/** The storm is on for so long for sure after the first attempt that was seen, ms. */
const SURELY_STORM_MS = 1_400;

/** Whether a blow in mid-storm took away what the figures stand on. */
function mustBeTold({ victim, blow }: Kill, intoStormMs: number | undefined): boolean {
  if (intoStormMs === undefined || intoStormMs > SURELY_STORM_MS) return false;
  if (victim === 'agent' || victim === 'MMDS') return true;
  if (victim === 'lane host' || victim === 'side holder') {
    // The first process of a namespace is deaf to SIGTERM (pid_namespaces(7)).
    return blow !== 'SIGTERM';
  }
  return (victim === 'lane wrapper' || victim === 'side wrapper') && blow === 'SIGKILL';
}

/** A part died or stood still: exit code, words, and who has the trouble. */
function wrongEnd(kill: Kill, end: Finished, results: readonly Result[], told: string): string[] {
  const wrong: string[] = [];
  const troubled = results.flatMap(({ lanes }) => lanes.filter(isStruck));
  if (![0, 1, 2].includes(end.code ?? -1)) wrong.push(`exit code ${end.code} (${end.signal})`);
  if (end.code === 2 && results.length > 0) wrong.push('exit code 2, and yet a result');
  if (end.code !== 2 && results.length !== 1) wrong.push(`${results.length} results`);
  if (end.code === 2 && !/^envd-bench: [^\n]+\n?$/m.test(end.stderr))
    wrong.push('no line says why');
  if ((end.code === 2 || troubled.length > 0) && !NAMED[kill.blow].test(told)) {
    wrong.push(`not named: ${told}`);
  }
  // In the result, and in a line while the run goes on.
  if (troubled.length > 0 && !NAMED[kill.blow].test(end.stderr)) wrong.push('no line names it');
  if (troubled.length > 1) wrong.push(`one was struck, ${troubled.length} lanes are in trouble`);
  if (end.code === 0 && troubled.length > 0) wrong.push('exit code 0 in spite of trouble');
  if (end.code === 1 && troubled.length + busy(results) === 0)
    wrong.push('exit code 1 for nothing');
  return wrong;
}

function wrongEndOfMain(
  kill: Kill,
  wasMet: boolean,
  end: Finished,
  results: readonly Result[],
): string[] {
  const wrong: string[] = [];
  const isInterrupt = kill.blow === 'SIGTERM' || kill.blow === 'twice';
  const mayEndWith: unknown[] = !wasMet
    ? [0, 1]
    : kill.blow === 'SIGKILL'
      ? ['SIGKILL']
      : isInterrupt
        ? // Before the command listens, or when all is done, the signal itself ends it.
          [130, 0, 'SIGTERM', 'SIGINT']
        : [0, 1];
  if (!mayEndWith.includes(end.code ?? end.signal)) {
    wrong.push(`exit code ${end.code ?? end.signal}: ${end.stderr}`);
  }
  // In set-up there is nothing to save.
  const expected = NOTHING_MEASURED.test(end.stderr) ? 0 : 1;
  if (end.code === 130 && results.length !== expected) wrong.push(`130, ${results.length} results`);
  const struck = isInterrupt ? [] : results.flatMap(({ lanes }) => lanes.filter(isStruck));
  for (const { trouble } of struck) wrong.push(`trouble of a lane that nobody struck: ${trouble}`);
  return wrong;
}

/** Figures that cannot be, whatever happened to the lane. */
function wrongFigures(lane: LaneResult, isComplete: boolean): string[] {
  const { init, health, pollers, connections, agentCount, series, trouble } = lane;
  const wrong: string[] = [];
  const say = (what: string): void => void wrong.push(`${lane.agent}: ${what} (${trouble})`);
  for (const [name, { sent, answered, timedOut, failed }] of Object.entries({ init, health })) {
    const ends = [answered, timedOut, failed];
    const sum = ends.some((count) => count === null)
      ? null
      : ends.reduce<number>((all, count) => all + (count ?? 0), 0);
    if (sent !== sum) say(`${name}: ${sent} sent, ${sum} ends`);
  }
  if (connections.source === 'kernel' && agentCount !== null) {
    const counted = agentCount.attempts - agentCount.localFailures;
    if (connections.total !== counted) say(`kernel ${connections.total}, agent ${counted}`);
  }
  if (connections.total === null && connections.source !== null) say('a source of no total');
  // Where the lane could tell of its requests, the last reading of the kernel's counters is its total.
  const wasRead = series.portsInUse.some((count) => count !== null);
  if (init.sent !== null && wasRead && connections.total === null) say('a total was lost');
  if (lane.guard === 'guarded' && (pollers.peak ?? 0) > 1) say(`peak ${pollers.peak}`);
  if (pollers.spawned !== null && pollers.spawned > (init.sent ?? 0))
    say('more pollers than /init');
  const peakOfSeries = Math.max(0, ...series.pollers.map((count) => count ?? 0));
  if (pollers.peak !== null && peakOfSeries > pollers.peak) say('the series tops the peak');
  if (series.tMs.some((tMs, i) => tMs <= (series.tMs[i - 1] ?? -1))) say('time runs back');
  if (isComplete && trouble === null && lane.guard === 'unguarded') {
    if (pollers.spawned !== init.answered)
      say(`${pollers.spawned} pollers, ${init.answered} inits`);
  }
  const stoppedAtMs = agentStoppedAtMs(trouble);
  series.tMs.forEach((tMs, i) => {
    const count = series.pollers[i] ?? null;
    if (count !== null && tMs > stoppedAtMs + STALE_AFTER_MS) {
      say(`${count} pollers at ${Math.round(tMs)} ms, when the agent stood still`);
    }
  });
  return wrong;
}

function agentStoppedAtMs(trouble: string | null): number {
  const at = /^the agent of lane .* was stopped \(SIGSTOP\) ([\d.]+) s into/.exec(
    trouble ?? '',
  )?.[1];
  return at === undefined ? Number.POSITIVE_INFINITY : Number(at) * 1e3;
}

function isStruck({ trouble }: LaneResult): boolean {
  return trouble !== null && !BUSY.test(trouble);
}

function busy(results: readonly Result[]): number {
  return results.flatMap(({ lanes }) => lanes.filter(({ trouble }) => BUSY.test(trouble ?? '')))
    .length;
}

function troublesOf({ lanes }: Result): string[] {
  return lanes.flatMap(({ trouble }) => (trouble === null ? [] : [trouble]));
}

function notesOf({ notes }: Result): string[] {
  return notes.map(({ text }) => text);
}
