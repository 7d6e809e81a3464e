import { UsageError } from '../base/errors.js';
import { quotedPath } from '../results/files.js';
import { isAlive } from '../results/journal/reader.js';
import { loadResult, type SavedRun } from '../results/store.js';
import { loadRun } from './recover.js';

/** How many results are looked through for a complete one: each is read whole. */
const MOST_READ = 50;

/** The run that is reported when none is named. */
export interface ChosenRun {
  file: string;
  /** What must be known beside it, a line each. */
  remarks: string[];
}

/**
 * Chooses the newest run that has ended, complete or not: what was measured last is what is asked
 * for, and that it is a part is said.
 * @param runs the newest first
 * @throws UsageError when all are still going
 */
export async function chooseRun(runs: readonly SavedRun[]): Promise<ChosenRun> {
  const remarks: string[] = [];
  for (const [i, { path, kind }] of runs.entries()) {
    if (kind === 'journal' && (await isAlive(path).catch(() => true))) {
      remarks.push(`a run is still going: envd-bench report ${path} shows it so far`);
      continue;
    }
    const { result } = await loadRun(path);
    if (result.complete) return { file: path, remarks };
    const complete = await newestComplete(runs.slice(i + 1));
    const other = complete
      ? `the newest complete one is ${quotedPath(complete)}`
      : 'there is no complete one';
    remarks.push(`the newest result is partial: ${quotedPath(path)}; ${other}`);
    return { file: path, remarks };
  }
  throw new UsageError(remarks[0] ?? 'no result', 'Wait for its end, or name the file');
}

async function newestComplete(runs: readonly SavedRun[]): Promise<string | undefined> {
  for (const { path } of runs.filter(({ kind }) => kind === 'result').slice(0, MOST_READ)) {
    const result = await loadResult(path).catch(() => undefined);
    if (result?.complete) return path;
  }
  return undefined;
}
