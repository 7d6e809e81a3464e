import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { UsageError } from '../../base/errors.js';
import { isRunning } from '../../base/process-identity.js';
import { quotedPath, reasonOf } from '../files.js';
import type { Result, Series } from '../schema.js';
import { SeriesRecorder } from '../thin.js';
import { type JournalEnd, type JournalEntry, parseEntry, parseHeader } from './format.js';

/** A lane's end has its histograms in it: at most about 1 MiB. */
const LONGEST_LINE = 8 * 2 ** 20;

/** A journal that was not written to for so long has no writer, ms; one writes every second. */
const SILENCE_MS = 15_000;

/** What a journal holds. */
export interface Journal {
  /** The result before anything was measured. */
  empty: Result;
  /** As many as `empty` has lanes, in the same order. */
  lanes: JournalLane[];
  /** Whether its run still goes on. */
  isAlive: boolean;
  /** What is behind the last whole line, in bytes: cut off or garbled when power went. */
  unreadableBytes: number;
}

export interface JournalLane {
  series: Series;
  /** The longest time between two samples, ms, and where that was long, in words. */
  gapMaxMs: number;
  gaps: readonly string[];
  /** When the last sample was taken, ms of the lane's own time; null when there is none. */
  lastMs: number | null;
  /** What it measured in all; undefined when the run was cut off before that. */
  end: JournalEnd | undefined;
}

/**
 * Reads a journal, however it ends. All up to the first line that is not whole counts; nothing
 * behind it does.
 * @throws UsageError in one line when it cannot be read, or not even its header is whole
 */
export async function readJournal(file: string): Promise<Journal> {
  const name = quotedPath(file);
  const { size } = await stat(file).catch((thrown) => {
    throw new UsageError(`cannot read ${name}: ${reasonOf(thrown)}`);
  });
  let content: Content | undefined;
  let readBytes = 0;
  try {
    for await (const { text, bytes } of linesOf(file)) {
      if (content) {
        const entry = parseEntry(text);
        if (!entry || !content.take(entry)) break;
      } else {
        const header = parseHeader(text);
        if (!header) break;
        content = new Content(header.result, header.writer);
      }
      readBytes += bytes;
    }
  } catch (thrown) {
    throw new UsageError(`cannot read ${name}: ${reasonOf(thrown)}`);
  }
  if (!content) {
    throw new UsageError(
      `${name} was cut off in its first line: nothing was measured`,
      'Remove it, and run again',
    );
  }
  return {
    empty: content.empty,
    lanes: content.lanes(),
    isAlive: isRunning(content.writer) ?? (await wasWrittenJustNow(file)),
    unreadableBytes: Math.max(0, size - readBytes),
  };
}

/** Whether the run of a journal still goes on. @throws as {@link readJournal} */
export async function isAlive(file: string): Promise<boolean> {
  // Of a pipe nobody may ever say anything.
  if (!(await stat(file)).isFile()) return true;
  for await (const { text } of linesOf(file)) {
    const header = parseHeader(text);
    return header ? (isRunning(header.writer) ?? (await wasWrittenJustNow(file))) : false;
  }
  // Its header is on the way.
  return wasWrittenJustNow(file);
}

class Content {
  private readonly recorders: SeriesRecorder[];
  private readonly ends: (JournalEnd | undefined)[];

  constructor(
    readonly empty: Result,
    readonly writer: Parameters<typeof isRunning>[0],
  ) {
    this.recorders = empty.lanes.map(() => new SeriesRecorder());
    this.ends = empty.lanes.map(() => undefined);
  }

  /** @returns false when it is about a lane that there is not */
  take(entry: JournalEntry): boolean {
    if (entry.kind === 'sample') {
      this.recorders[entry.lane]?.add(entry.sample);
      return entry.lane in this.recorders;
    }
    if (this.empty.lanes[entry.end]?.agent !== entry.lane.agent) return false;
    this.ends[entry.end] = entry;
    return true;
  }

  lanes(): JournalLane[] {
    return this.recorders.map((recorder, i) => {
      const series = recorder.series();
      const { gapMaxMs, gaps } = recorder;
      return { series, gapMaxMs, gaps, lastMs: series.tMs.at(-1) ?? null, end: this.ends[i] };
    });
  }
}

async function wasWrittenJustNow(file: string): Promise<boolean> {
  const { mtimeMs } = await stat(file);
  return Math.abs(Date.now() - mtimeMs) < SILENCE_MS;
}

/** The whole lines of a file. What has no line break behind it, or is too long, is none. */
async function* linesOf(file: string): AsyncGenerator<{ text: string; bytes: number }> {
  let rest = Buffer.alloc(0);
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      const line = Buffer.concat([rest, chunk.subarray(from, at)]);
      rest = Buffer.alloc(0);
      from = at + 1;
      yield { text: line.toString('utf8'), bytes: line.length + 1 };
    }
    rest = Buffer.concat([rest, chunk.subarray(from)]);
    if (rest.length > LONGEST_LINE) return;
  }
}
