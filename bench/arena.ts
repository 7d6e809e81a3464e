import { execFile, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { firstLine } from '../src/lane/network/command.js';
import { DIE_WITH_PARENT, UNSHARE } from '../src/lane/network/namespaces.js';

/** Longer than any trial takes, ms: one that hangs fails its row, not the bench. */
const OVER_WITHIN_MS = 90_000;

/**
 * Runs one trial in an arena: a process in fresh user, network and process namespaces. No trial finds
 * the TIME_WAIT of the one before, its counters begin at 0, and all that it started ends with it.
 * @param name a file of trials/
 * @throws Error with the last line of what it said, when it failed
 */
export function inArena<Output>(name: string, input: object): Promise<Output> {
  const script = fileURLToPath(new URL(`./trials/${name}.js`, import.meta.url));
  const command = [...DIE_WITH_PARENT, ...UNSHARE, process.execPath, script, JSON.stringify(input)];
  const [program, ...args] = command;
  return new Promise((resolve, reject) => {
    const child = execFile(
      program ?? '',
      args,
      { timeout: OVER_WITHIN_MS, killSignal: 'SIGKILL', maxBuffer: 1 << 24 },
      (error, stdout, stderr) => {
        if (!error) resolve(JSON.parse(stdout) as Output);
        else reject(new Error(`trial ${name}: ${firstLine(stderr) || error.message}`));
      },
    );
    child.stdin?.end();
  });
}

/**
 * Runs a program to its end, and says how long it took.
 * @returns wall time, ms
 * @throws Error when it fails
 */
export function wallMs(command: readonly string[]): Promise<number> {
  const [program, ...args] = command;
  const before = process.hrtime.bigint();
  return new Promise((resolve, reject) => {
    const child = spawn(program ?? '', args, { stdio: 'ignore' });
    child.once('error', reject);
    child.once('exit', (code) => {
      const ms = Number(process.hrtime.bigint() - before) / 1e6;
      if (code === 0) resolve(ms);
      else reject(new Error(`${command.join(' ')} ended with ${code}`));
    });
  });
}
