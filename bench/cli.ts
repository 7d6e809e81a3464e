import { type ChildProcess, execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Result, resultSchema } from '../src/results/schema.js';
import { whileAlive } from './while-alive.js';

const BIN = fileURLToPath(new URL('../../bin/run.js', import.meta.url));

/**
 * Runs `envd-bench run` and reads its result. The file that it saves is thrown away.
 * @throws Error with what it said on stderr, when it measured nothing
 */
export async function measure(args: readonly string[]): Promise<Result> {
  const out = mkdtempSync(join(tmpdir(), 'envd-bench-bench-'));
  let child: ChildProcess | undefined;
  const undo = (): void => {
    child?.kill('SIGKILL');
    rmSync(out, { recursive: true, force: true });
  };
  return whileAlive(undo, async () => {
    const stdout = await new Promise<string>((resolve, reject) => {
      child = execFile(
        process.execPath,
        [BIN, 'run', '--json', '--out', out, ...args],
        { maxBuffer: 1 << 28 },
        // Exit code 1 is a result too: an agent that never answered, say.
        (error, text, stderr) => (text ? resolve(text) : reject(error ?? new Error(stderr))),
      );
    });
    return resultSchema.parse(JSON.parse(stdout));
  });
}

/** A markdown table, numbers to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, i) => (i === 0 ? '---' : '---:'))), ...rows.map(line)].join(
    '\n',
  );
}

/** Whole numbers with thousands set off; a dash for what was not measured. */
export function count(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : Math.round(value).toLocaleString('en-US');
}
