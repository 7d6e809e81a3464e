import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../../base/errors.js';
import { quoted } from '../../base/text.js';
import { quotedPath } from '../files.js';
import { journalId, journalName } from '../journal/format.js';
import type { Result } from '../schema.js';
import { loadResult } from '../store.js';

/** One side of a comparison. */
export interface Side {
  /** At least one; repeats in the order of the files' names, which is that of time. */
  results: Result[];
  /** What a reader must know of it, as sentences. */
  warnings: string[];
}

/** More repeats than anybody makes; each is read whole. */
const MOST_RESULTS = 1000;

/**
 * Loads one side of a comparison: a result file, a folder of them, or a comma list of both.
 * @param text as it was typed
 * @param side `BASE` or `HEAD`, for the error text
 * @throws UsageError in one line for what is missing, empty or no valid result
 */
export async function loadSide(text: string, side: string): Promise<Side> {
  // A path with a comma in it is taken as it stands.
  const paths = (await kindOf(text)) === 'none' ? text.split(',') : [text];
  const found = await Promise.all(paths.map((path) => filesOf(path.trim(), side)));
  const files = found.flatMap((one) => one.files);
  if (files.length > MOST_RESULTS) {
    throw new UsageError(`${side} has ${files.length} results, more than ${MOST_RESULTS}`);
  }
  const results: Result[] = [];
  for (const file of files) results.push(withoutSeries(await loadResult(file)));
  const twice = results.find(({ id }, i) => results.findIndex((other) => other.id === id) !== i);
  if (twice) {
    throw new UsageError(
      `${side} has the result ${twice.id} twice`,
      'Every sample must be a run of its own: name each file once',
    );
  }
  return { results, warnings: found.flatMap(({ warnings }) => warnings) };
}

/** A file as it stands, or the results in a folder; a journal is none yet, and is told of. */
async function filesOf(
  path: string,
  side: string,
): Promise<{ files: string[]; warnings: string[] }> {
  if (path === '') throw new UsageError(`${side} is empty`, 'Name a result file or a folder');
  if ((await kindOf(path)) !== 'folder') return { files: [path], warnings: [] };
  const all = (await readdir(path)).sort();
  const names = all.filter((name) => /^[^.].*\.json$/.test(name));
  const journals = all
    .map(journalId)
    .filter((id) => id !== undefined && !names.includes(`${id}.json`));
  const [first] = journals;
  const mend = `envd-bench report ${first === undefined ? '' : quotedPath(join(path, journalName(first)))} --json > result.json makes one of it`;
  if (names.length === 0) {
    throw new UsageError(
      `${side}: there is no result in ${quoted(path)}`,
      first === undefined
        ? 'Make one with envd-bench run --out'
        : `A run was cut off there: ${mend}`,
    );
  }
  const runs = journals.length === 1 ? 'a run' : `${journals.length} runs`;
  const left = `${runs} in ${quoted(path)} without a result, cut off or still going: left out (${mend})`;
  return {
    files: names.map((name) => join(path, name)),
    warnings: journals.length > 0 ? [left] : [],
  };
}

async function kindOf(path: string): Promise<'file' | 'folder' | 'none'> {
  try {
    return (await stat(path)).isDirectory() ? 'folder' : 'file';
  } catch {
    return 'none';
  }
}

/** A thousand results with their series would take gigabytes; nobody compares those point by point. */
function withoutSeries(result: Result): Result {
  const nothing = {
    tMs: [],
    pollers: [],
    connectionsPerSecond: [],
    portsInUse: [],
    timeWait: [],
    initLatencyMs: [],
    healthLatencyMs: [],
  };
  return { ...result, lanes: result.lanes.map((lane) => ({ ...lane, series: nothing })) };
}
