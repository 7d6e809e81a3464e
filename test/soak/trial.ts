import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { whileAlive } from '../../bench/while-alive.js';
import { monotonicMs } from '../../src/base/clock.js';
import { parseNetCounters, readProc } from '../../src/observe/proc/counters.js';
import { type Finished, start } from '../e2e/cli.js';
import { faultsOf, NAMED } from './judge.js';
import { namespacesInUse, namespacesOf, processesOf, type Seen, type Victim } from './victims.js';

/** What is done to a victim: a signal; stopped for half a second; Ctrl-C twice. */
export const BLOWS = ['SIGTERM', 'SIGKILL', 'SIGSTOP', 'pause', 'twice'] as const;
export type Blow = (typeof BLOWS)[number];

export interface Kill {
  victim: Victim;
  blow: Blow;
  /** The moment, ms; a victim that does not live yet is met as it is born. */
  atMs: number;
  /** From when on: the start of the command, or the first attempt of an agent. */
  from: 'start' | 'storm';
  isolation: 'netns' | 'loopback';
  /** Which of the processes of that kind is met, from 0 to below 1. */
  which: number;
}

/** What came of one kill. */
export interface Outcome {
  kill: Kill;
  /** False when no such process lived any more. */
  wasMet: boolean;
  /** From the blow to the line that names it, or to the end of a command that was struck itself, ms. */
  overAfterMs: number | null;
  /** From the blow to the end of the command, ms. */
  endedAfterMs: number;
  /** From the blow to nothing being left, ms. */
  goneAfterMs: number;
  code: number | null;
  /** What is wrong, one line each; none when all is as promised. */
  wrong: string[];
  stderr: string;
}

/** The command, as it was built. */
export const BIN = fileURLToPath(new URL('../../../bin/run.js', import.meta.url));

/** The outage of every run. */
export const OUTAGE_MS = 2_000;

const LOOK_EVERY_MS = 50;

/** A tool lives for milliseconds only. */
const LOOK_FOR_TOOL_EVERY_MS = 1;

/** How long a stopped main process stays so: nothing but SIGCONT brings it back. */
const MAIN_STOPPED_MS = 3_000;

/** How long a pause lasts. */
const PAUSE_MS = 700;

/** Within which the cause ends what it ends. */
const PROMISED_MS = 5_000;

/** What a busy machine may add to that; what was measured is in the table. */
const BUSY_MS = 3_000;

/** Longer than any run takes: other lanes hold the outage to its end, set-up takes seconds on a busy machine. */
const LONGEST_MS = 60_000;

/** Runs the command once, strikes, and looks at all that is left. */
export async function tryKill(kill: Kill): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'envd-bench-deaths-'));
  const folders = {
    home: join(folder, 'home'),
    out: join(folder, 'out'),
    tmp: join(folder, 'tmp'),
  };
  for (const path of Object.values(folders)) mkdirSync(path);
  const undo = (): void => {
    for (const { pid } of processesOf(folders.home)) end(pid);
    rmSync(folder, { recursive: true, force: true });
  };
  return whileAlive(undo, () => strike(kill, folders));
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

async function strike(
  kill: Kill,
  { home, out, tmp }: { home: string; out: string; tmp: string },
): Promise<Outcome> {
  const own = new Set(namespacesOf('self'));
  const devices = devicesOfHost();
  const command = [
    ...[process.execPath, BIN, 'run', '--outage', `${OUTAGE_MS}ms`, '--json', '--out', out],
    ...['--isolation', kill.isolation],
  ];
  const beganMs = monotonicMs();
  const running = start(command, {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, TMPDIR: tmp },
  });
  let finished: Finished | undefined;
  let endedMs = 0;
  void running.finished.then((end) => {
    endedMs = monotonicMs();
    finished = end;
  });
  const namespaces = new Set<string>();
  let struckMs: number | undefined;
  let toldMs: number | undefined;
  let intoStormMs: number | undefined;
  let target: Seen | undefined;
  const wrong: string[] = [];
  let fromMs = kill.from === 'start' ? beganMs : Number.POSITIVE_INFINITY;
  for (;;) {
    const nowMs = monotonicMs();
    if (finished) break;
    if (nowMs - (struckMs ?? beganMs) > LONGEST_MS) {
      wrong.push(`the command has not ended ${seconds(LONGEST_MS)} s after the blow`);
      break;
    }
    if (struckMs !== undefined && NAMED[kill.blow].test(running.stderr())) toldMs ??= nowMs;
    const alive = processesOf(home);
    for (const { pid } of alive) {
      for (const one of namespacesOf(pid)) if (!own.has(one)) namespaces.add(one);
    }
    if (fromMs === Number.POSITIVE_INFINITY && alive.some(hasPolled)) fromMs = nowMs;
    if (struckMs === undefined && nowMs - fromMs >= kill.atMs) {
      const candidates = alive.filter(({ victim }) => victim === kill.victim);
      target = candidates[Math.floor(kill.which * candidates.length)];
      if (target) {
        struckMs = monotonicMs();
        intoStormMs = kill.from === 'storm' ? struckMs - fromMs : undefined;
        void blow(target.pid, kill);
      }
    }
    const isHunting = kill.victim === 'tool' && struckMs === undefined;
    await sleep(isHunting ? LOOK_FOR_TOOL_EVERY_MS : LOOK_EVERY_MS);
  }
  const leftovers = await untilNothing(() => [
    ...processesOf(home).map(({ pid, command: line }) => `process ${pid} ${line.slice(0, 120)}`),
    ...heldStill(namespaces, home),
    ...devicesOfHost()
      .filter((name) => !devices.includes(name) && /^(veth|eth)/.test(name))
      .map((name) => `device ${name}`),
    ...readFileSync('/proc/self/mounts', 'utf8')
      .split('\n')
      .filter((line) => line.includes(home))
      .map((line) => `mount ${line}`),
    ...readdirSync(tmp).map((name) => `temporary file ${name}`),
    ...readdirSync(home).map((name) => `file in the folder of the user: ${name}`),
  ]);
  const goneMs = monotonicMs();
  wrong.push(...leftovers.map((line) => `left: ${line}`));
  for (const { pid } of processesOf(home)) safely(() => process.kill(pid, 'SIGKILL'));
  const end = finished ?? (await running.finished);
  wrong.push(...(await faultsOf({ kill, target, intoStormMs, end, out, readable })));
  const sinceMs = struckMs ?? beganMs;
  const endMs = kill.victim === 'main' && kill.blow !== 'SIGSTOP' ? endedMs : toldMs;
  const overAfterMs =
    target && endMs !== undefined ? Math.min(endMs, endedMs || endMs) - sinceMs : null;
  if (overAfterMs !== null && overAfterMs > PROMISED_MS + BUSY_MS) {
    wrong.push(`told, or over, only ${seconds(overAfterMs)} s after the blow`);
  }
  return {
    kill,
    overAfterMs,
    wasMet: target !== undefined,
    endedAfterMs: endedMs - sinceMs,
    goneAfterMs: goneMs - sinceMs,
    code: end.code,
    wrong,
    stderr: end.stderr,
  };
}

/** Whether it is an agent in a network of its own that has made an attempt. */
function hasPolled({ pid, victim }: Seen): boolean {
  if (victim !== 'agent') return false;
  const tcp = parseNetCounters(readProc(`/proc/${pid}/net/snmp`) ?? '', 'Tcp');
  return (tcp.get('ActiveOpens') ?? 0) > 0;
}

async function blow(pid: number, { victim, blow: how }: Kill): Promise<void> {
  const send = (name: NodeJS.Signals): void => safely(() => process.kill(pid, name));
  if (how === 'twice') {
    send('SIGINT');
    await sleep(50);
    send('SIGINT');
  } else if (how === 'pause') {
    send('SIGSTOP');
    await sleep(PAUSE_MS);
    send('SIGCONT');
  } else {
    send(how);
    if (how !== 'SIGSTOP' || victim !== 'main') return;
    await sleep(MAIN_STOPPED_MS);
    send('SIGCONT');
  }
}

/** Waits until nothing is left, as long as is promised. @returns what is left even then */
async function untilNothing(look: () => string[]): Promise<string[]> {
  const deadlineMs = monotonicMs() + PROMISED_MS;
  for (;;) {
    const left = look();
    if (left.length === 0 || monotonicMs() >= deadlineMs) return left;
    await sleep(LOOK_EVERY_MS);
  }
}

/** Those namespaces of the run that some process is still in. */
function heldStill(namespaces: ReadonlySet<string>, home: string): string[] {
  if (namespaces.size === 0) return [];
  const inUse = namespacesInUse(home);
  return [...namespaces].filter((one) => inUse.has(one)).map((one) => `namespace ${one}`);
}

function devicesOfHost(): string[] {
  return (readFileSync('/proc/net/dev', 'utf8').match(/^\s*[^\s:]+(?=:)/gm) ?? []).map((name) =>
    name.trim(),
  );
}

/** Whether `envd-bench report` reads a file: undefined, or what it says. */
function readable(file: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(process.execPath, [BIN, 'report', file], { timeout: 60_000 }, (error, _, stderr) =>
      resolve(error ? stderr.trim() || error.message : undefined),
    );
  });
}

function safely(act: () => void): void {
  try {
    act();
  } catch {
    // It has ended by itself.
  }
}

export function seconds(ms: number): string {
  return (ms / 1e3).toFixed(1);
}
