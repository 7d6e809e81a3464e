import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Finished {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  child: ChildProcess;
  /** What it has printed on stderr so far. */
  stderr(): string;
  finished: Promise<Finished>;
}

export interface CliOptions {
  env?: NodeJS.ProcessEnv;
  /** Put in front of the command, e.g. to run it as another user. */
  prefix?: readonly string[];
  cwd?: string;
}

/** Starts a command; it is ended after two minutes whatever happens. */
export function start(command: readonly string[], options: CliOptions = {}): Running {
  const [program = '', ...args] = [...(options.prefix ?? []), ...command];
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: options.env ?? process.env,
    cwd: options.cwd,
    timeout: 120_000,
    killSignal: 'SIGKILL',
  });
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (piece: Buffer) => {
    stdout += piece.toString('utf8');
  });
  child.stderr?.on('data', (piece: Buffer) => {
    stderr += piece.toString('utf8');
  });
  const finished = new Promise<Finished>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return { child, stderr: () => stderr, finished };
}

/** Runs a command to its end. */
export function run(command: readonly string[], options: CliOptions = {}): Promise<Finished> {
  return start(command, options).finished;
}

/** Waits for a condition, at most half a minute. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  for (let i = 0; i < 600; i++) {
    if (holds()) return;
    await sleep(50);
  }
  throw new Error(`never came true: ${what}`);
}

/** The processes whose command line names `text`, as `pid command`. */
export function processesWith(text: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return command.includes(text) ? [`${pid} ${command.slice(0, 200)}`] : [];
      } catch {
        return [];
      }
    });
}

/** How this test can be run as an ordinary user: the prefix, or undefined when it is one already. */
export function ordinaryUser(): readonly string[] | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--'];
}
