import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { thisProcess } from '../../base/process-identity.js';
import { reasonOf, syncFolder } from '../files.js';
import type { LaneResult, Result } from '../schema.js';
import type { Sample } from '../thin.js';
import { endLine, headerLine, journalName, sampleLine } from './format.js';

/** How often what was measured is forced to disk, ms: the most that is lost. */
export const FLUSH_MS = 1_000;

/** What waits for a disk that does not answer, at most, in characters: hours of a run. */
const MOST_WAITING = 16 * 2 ** 20;

/**
 * Keeps the journal of one run. It never throws and never holds the run up: a disk that fails is
 * told once, and the run goes on without its journal.
 */
export class JournalWriter {
  private waiting: string[] = [];
  private waitingLength = 0;
  private lanes: string[] = [];
  private path: string | undefined;
  private handle: FileHandle | undefined;
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> | undefined;
  private hasFailed = false;

  /**
   * @param dir the folder of the results
   * @param say is told, once, when it no longer saves
   */
  constructor(
    private readonly dir: string,
    private readonly say: (line: string) => void,
  ) {}

  /** Begins the file. @param empty the result before anything is measured */
  begin(empty: Result): void {
    this.lanes = empty.lanes.map(({ agent }) => agent);
    this.path = join(this.dir, journalName(empty.id));
    this.add(() => headerLine({ writer: thisProcess(), result: empty }));
    this.timer = setInterval(() => void this.pump(), FLUSH_MS).unref();
    void this.pump();
  }

  sample(lane: string, sample: Sample): void {
    this.add(() => sampleLine(this.lanes.indexOf(lane), sample));
  }

  laneEnd(lane: LaneResult, isWhole: boolean): void {
    this.add(() => endLine(this.lanes.indexOf(lane.agent), isWhole, lane));
  }

  /** Forces all that there is to disk. */
  async flush(): Promise<void> {
    await this.pump();
    // The second one writes what came while the first was under way.
    await this.pump();
  }

  /** Writes what there is, and leaves the file. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
    await this.handle?.close().catch(() => undefined);
    this.handle = undefined;
    this.hasFailed = true;
  }

  /** Takes the file away: the result is saved. */
  async remove(): Promise<void> {
    await this.close();
    if (this.path !== undefined) await unlink(this.path).catch(() => undefined);
  }

  private add(line: () => string): void {
    if (this.hasFailed || this.path === undefined) return;
    try {
      const text = line();
      this.waiting.push(text);
      this.waitingLength += text.length;
    } catch (thrown) {
      this.fail(reasonOf(thrown));
    }
    if (this.waitingLength > MOST_WAITING) this.fail('the disk does not take it in time');
  }

  /** One write at a time: a disk that is slow makes the next one larger, not more of them. */
  private pump(): Promise<void> {
    this.writing ??= this.write()
      .catch((thrown) => this.fail(reasonOf(thrown)))
      .finally(() => {
        this.writing = undefined;
      });
    return this.writing;
  }

  private async write(): Promise<void> {
    if (this.hasFailed || this.path === undefined) return;
    if (!this.handle) {
      this.handle = await open(this.path, 'wx', 0o644);
      await syncFolder(this.dir);
    }
    const text = this.waiting.join('');
    this.waiting = [];
    this.waitingLength = 0;
    if (text === '') {
      // Who cannot see the process, from another container, tells by the file's time that it lives.
      const now = new Date();
      await this.handle.utimes(now, now);
      return;
    }
    await this.handle.writeFile(text);
    await this.handle.datasync();
    // Written to a file without a name nothing fails, and all is lost.
    if ((await this.handle.stat()).nlink === 0) this.fail('its file was removed');
  }

  private fail(reason: string): void {
    if (this.hasFailed) return;
    this.hasFailed = true;
    clearInterval(this.timer);
    this.waiting = [];
    this.waitingLength = 0;
    this.say(`no longer saving as it goes: ${reason}. The run goes on, and is saved at its end`);
  }
}
