import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../../base/errors.js';
import { quoted } from '../../base/text.js';
import type { Result } from '../schema.js';
import { loadResult } from '../store.js';

/** More repeats than anybody makes; each is read whole. */
const MOST_RESULTS = 1000;

/**
 * Loads one side of a comparison: a result file, a folder of them, or a comma list of both.
 * @param text as it was typed
 * @param side `BASE` or `HEAD`, for the error text
 * @returns at least one result; repeats in the order of the files' names, which is that of time
 * @throws UsageError in one line for what is missing, empty or no valid result
 */
export async function loadSide(text: string, side: string): Promise<Result[]> {
  // A path with a comma in it is taken as it stands.
  const paths = (await kindOf(text)) === 'none' ? text.split(',') : [text];
  const files = (await Promise.all(paths.map((path) => filesOf(path.trim(), side)))).flat();
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
  return results;
}

async function filesOf(path: string, side: string): Promise<string[]> {
  if (path === '') throw new UsageError(`${side} is empty`, 'Name a result file or a folder');
  if ((await kindOf(path)) !== 'folder') return [path];
  const names = (await readdir(path)).filter((name) => /^[^.].*\.json$/.test(name)).sort();
  if (names.length === 0) {
    throw new UsageError(
      `${side}: there is no result in ${quoted(path)}`,
      'Make one with envd-bench run --out',
    );
  }
  return names.map((name) => join(path, name));
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
