import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

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
 * @throws Error with the first line of what it said on stderr
 */
export function runTool(file: string, args: readonly string[], input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      file,
      args,
      { env: plainEnvironment(), timeout: 10_000 },
      (error, stdout, stderr) => {
        if (!error) resolve(stdout);
        else reject(new Error(`${file}: ${firstLine(stderr) || error.message}`));
      },
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
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
