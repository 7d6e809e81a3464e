import { formatDuration } from '../base/duration.js';
import { isJournal } from '../results/journal/format.js';
import { type Journal, type JournalLane, readJournal } from '../results/journal/reader.js';
import type { LaneResult, Note, Result } from '../results/schema.js';
import { loadResult } from '../results/store.js';
import { parseThresholds, withChecks } from '../results/thresholds.js';
import { judged, NOT_BEGUN } from './make-result.js';
import { measuredSoFar } from './so-far.js';

/** Why a result is a part only, where its file tells more than the result does. */
export type RunState = 'ended' | 'cut off' | 'still going';

/**
 * Reads what a run left: its result, or its journal when it was cut off or still goes on.
 * @throws UsageError in one line when it is neither
 */
export async function loadRun(file: string): Promise<{ result: Result; state: RunState }> {
  if (!(await isJournal(file))) return { result: await loadResult(file), state: 'ended' };
  const journal = await readJournal(file);
  return { result: recover(journal), state: journal.isAlive ? 'still going' : 'cut off' };
}

/**
 * Makes a result of a journal. Lanes that came to their end are as they would have been in the
 * run's own result; of the others only what their samples hold is known, the rest is null.
 */
export function recover(journal: Journal): Result {
  const { empty } = journal;
  const found = empty.lanes.map((lane, i) => recoverLane(empty, lane, journal.lanes[i]));
  const lanes = found.map(({ lane }) => lane);
  const unchecked = judged({
    ...empty,
    complete: journal.lanes.every(({ end }) => end?.isWhole),
    lanes,
    checks: [],
    notes: [...empty.notes, ...notesOf(journal), ...found.flatMap(({ notes }) => notes)],
  });
  return withChecks(unchecked, parseThresholds(empty.checks.map(({ expression }) => expression)));
}

function recoverLane(
  { scenario }: Result,
  empty: LaneResult,
  journal: JournalLane | undefined,
): { lane: LaneResult; notes: Note[] } {
  const said = (texts: readonly string[]) => texts.map((text) => ({ lane: empty.agent, text }));
  if (journal?.end) {
    return {
      lane: { ...journal.end.lane, series: journal.series },
      notes: said(journal.gaps),
    };
  }
  if (!journal || journal.lastMs === null) {
    return { lane: { ...empty, trouble: NOT_BEGUN }, notes: [] };
  }
  const { lane, findings } = measuredSoFar(empty, journal, scenario);
  return { lane, notes: said([...journal.gaps, ...findings]) };
}

function notesOf(journal: Journal): Note[] {
  const { empty, lanes, isAlive, unreadableBytes } = journal;
  const outage = formatDuration(empty.scenario.outageMs);
  const cut = lanes.flatMap(({ end, lastMs }, i) =>
    end || lastMs === null ? [] : [{ name: empty.lanes[i]?.agent ?? null, lastMs }],
  );
  const reachedMs = Math.max(...cut.map(({ lastMs }) => lastMs));
  const reached = `${formatDuration(Math.round(reachedMs / 100) * 100)} into an outage of ${outage}`;
  const how = isAlive ? 'the run is still going' : 'the run was cut off';
  const where = isAlive ? `${how}: this is how it is ${reached}` : `${how} ${reached}`;
  const said: Note[] = [];
  if (cut.length > 0) {
    said.push({
      lane: null,
      text: `${where}; it was saved as it went, ten samples a second: a peak is the largest sample, and what is counted at the end is not known`,
    });
    if (cut.length < lanes.length) {
      const names = cut.map(({ name }) => name).join(', ');
      said.push({ lane: null, text: `${how} in: ${names.slice(0, 1000)}` });
    }
  } else if (lanes.every(({ end }) => end)) {
    said.push({
      lane: null,
      text: `${how} while its result was being saved; no lane lacks anything`,
    });
  } else {
    said.push({
      lane: null,
      text: `${how} before it measured ${lanes.some(({ end }) => end) ? 'the other lanes' : 'anything'}`,
    });
  }
  if (unreadableBytes > 0 && !isAlive) {
    said.push({
      lane: null,
      text: `${unreadableBytes} bytes at the end of the journal cannot be read, and are left out`,
    });
  }
  return said;
}
