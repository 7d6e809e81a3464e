import { type ExecFileException, execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { treeOf } from '../../observe/proc/process.js';
import { StopWatch } from '../../observe/stop-watch.js';
import { exitInside, howEnded, STOPPED } from '../death.js';

/** How long a tool may take, ms. */
const WITHIN_MS = 10_000;

/** Administration tools live in sbin, which an ordinary user's PATH may lack. */
const SBIN = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/**
 * The environment of everything a lane starts: no proxy settings, no options of Node, no locale that
 * would change the text of a tool.
 * @param extra what is added
 */
export function plainEnvironment(extra: Record<string, string> = {}): Record<string, string> {
  const { PATH = '/usr/bin:/bin', HOME = '/' } = process.env;
  const path = [...new Set([...PATH.split(':'), ...SBIN])].join(':');
  return { PATH: path, HOME, LC_ALL: 'C', TZ: 'UTC', ...extra };
}

/**
 * Whether a tool can be found where lanes look for it.
 * @param path folders, as PATH has them
 */
export function hasTool(tool: string, path = plainEnvironment().PATH ?? ''): boolean {
  return path.split(':').some((folder) => {
    try {
      accessSync(join(folder, tool), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * Runs a tool to its end.
 * @throws Error with the first line of what it said on stderr, or how it was ended
 */
export function runTool(file: string, args: readonly string[], input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    let given: string | undefined;
    const child = execFile(file, args, { env: plainEnvironment() }, (error, stdout, stderr) => {
      watch.end();
      clearTimeout(timer);
      if (!error) resolve(stdout);
      else reject(new Error(`${file}${given ? ` ${given}` : whyFailed(error, stderr)}`));
    });
    const giveUp = (how: string): void => {
      given ??= how;
      // One that is stopped hears nothing else. What it started holds its output open.
      for (const pid of treeOf(child.pid)) kill(pid);
    };
    const timer = setTimeout(() => giveUp(`took longer than ${WITHIN_MS / 1e3} s`), WITHIN_MS);
    const watch = new StopWatch(() => [{ name: file, pids: treeOf(child.pid) }], {
      onStopped: () => giveUp(STOPPED),
    });
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

function whyFailed(error: ExecFileException, stderr: string): string {
  const { signal } = exitInside({ code: Number(error.code), signal: error.signal ?? null }, stderr);
  return signal === null
    ? `: ${firstLine(stderr) || error.message}`
    : ` ${howEnded({ code: null, signal })}`;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** The first line that is not empty. */
export function firstLine(text: string): string {
  return (
    text
      .split('\n')
      .find((line) => line.trim() !== '')
      ?.trim() ?? ''
  );
}
