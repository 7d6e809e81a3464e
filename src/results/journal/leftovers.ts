import { readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { cleanText } from '../../base/text.js';
import { loadResult } from '../store.js';
import { journalId } from './format.js';
import { isAlive } from './reader.js';

/**
 * Looks after the journals in a folder of results. Where the result is there too (the run was cut off
 * between its two last steps) the journal goes; one without a result is data and stays. What was half
 * written goes in both cases. The journal of a run that goes on is left alone.
 * @returns a line about the runs that were cut off; undefined when there are none
 */
export async function tidyJournals(dir: string): Promise<string | undefined> {
  const names = await readdir(dir).catch((): string[] => []);
  const cutOff: string[] = [];
  for (const name of names.sort()) {
    const id = journalId(name);
    // Another run may end just now, and take its journal away.
    if (id === undefined || (await isAlive(join(dir, name)).catch(() => true))) continue;
    const isSaved = names.includes(`${id}.json`) && (await holds(join(dir, `${id}.json`), id));
    const halves = names.filter((one) => one.startsWith(`.${id}-`) && one.endsWith('.tmp'));
    for (const one of isSaved ? [...halves, name] : halves) {
      await unlink(join(dir, one)).catch(() => undefined);
    }
    if (!isSaved) cutOff.push(join(dir, name));
  }
  const newest = cutOff.at(-1);
  if (newest === undefined) return undefined;
  const what = cutOff.length > 1 ? `${cutOff.length} earlier runs were` : 'an earlier run was';
  return `${what} cut off: envd-bench report ${cleanText(newest, 300)} shows what it measured${cutOff.length > 1 ? ' (the newest)' : ''}; remove the file when it is of no more use`;
}

/** Whether a file is the whole result of a run: one that is empty or cut off replaces no journal. */
async function holds(file: string, id: string): Promise<boolean> {
  return loadResult(file).then(
    (result) => result.id === id,
    () => false,
  );
}
