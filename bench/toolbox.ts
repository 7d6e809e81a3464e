import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runTool } from '../src/lane/network/command.js';
import { whileAlive } from './while-alive.js';

const SOURCES = fileURLToPath(new URL('../../bench/limit', import.meta.url));

/** Where a program is, on PATH or where `go install` leaves it; undefined when it is not installed. */
export function whereIs(program: string): string | undefined {
  const { PATH = '', HOME = '/' } = process.env;
  return [...PATH.split(':'), join(HOME, 'go/bin')]
    .map((folder) => join(folder, program))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** The pair of C programs that shows what the machine can do (limit/). */
export interface Limit {
  client: string;
  server: string;
}

/**
 * Compiles the C pair for as long as `use` takes.
 * @param use is given undefined where there is no compiler
 * @throws Error when there is a compiler and it fails
 */
export async function withLimit<T>(use: (limit: Limit | undefined) => Promise<T>): Promise<T> {
  const compiler = whereIs('cc') ?? whereIs('gcc') ?? whereIs('clang');
  if (!compiler) return use(undefined);
  const folder = mkdtempSync(join(tmpdir(), 'envd-bench-limit-'));
  const undo = (): void => rmSync(folder, { recursive: true, force: true });
  return whileAlive(undo, async () => {
    const limit = { client: join(folder, 'client'), server: join(folder, 'server') };
    for (const [name, path] of Object.entries(limit)) {
      await runTool(compiler, ['-O2', '-Wall', '-o', path, join(SOURCES, `${name}.c`)]);
    }
    return use(limit);
  });
}
