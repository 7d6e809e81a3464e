import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, mkdir, mkdtemp, open, readdir, rename, rmdir, stat, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { z } from 'zod';
import { codeOf, messageOf, UsageError } from '../base/errors.js';
import { cleanText } from '../base/text.js';
import { quotedPath, reasonOf, syncFolder } from './files.js';
import { isJournal, journalId, journalName } from './journal/format.js';
import { RESULT_SCHEMA, type Result, resultSchema } from './schema.js';

/** The largest result file that is read, in bytes. */
export const LARGEST_FILE = 64 * 2 ** 20;

/** What {@link newId} makes, as a file's name. */
const RESULT_FILE = /^\d{8}T\d{6}\.\d{3}Z-[0-9a-f]{12}\.json$/;

/** The result could not be written where it should go. It is not lost: `json` holds it. */
export class UnsavedError extends Error {
  override readonly name = 'UnsavedError';
  constructor(
    /** The whole document. */
    readonly json: string,
    /** The id of the result. */
    readonly id: string,
    message: string,
    options: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * Creates the folder for results, with its parents, and proves that it can be written to, so that a
 * bad one is found before a run and not after it.
 * @returns the absolute path, which holds even if the process changes its folder later
 * @throws UsageError when the folder cannot be made or written to
 */
export async function prepareOut(dir: string): Promise<string> {
  const mend = 'Give a folder that can be written to: --out bench-results';
  if (dir.trim() === '') throw new UsageError('--out is empty', mend);
  const path = resolve(dir);
  try {
    await makeFolder(path);
    const probe = join(path, `.probe-${randomBytes(6).toString('hex')}`);
    await writeWhole(probe, 'probe\n');
    await unlink(probe);
  } catch (thrown) {
    throw new UsageError(`cannot write results to ${quotedPath(dir)}: ${reasonOf(thrown)}`, mend);
  }
  return path;
}

/**
 * Names a run: its start in UTC, which sorts by time, and 48 random bits, so that two runs in one
 * millisecond, or two processes, differ. E.g. `20250131T235959.123Z-0f3c5a7b9d1e`.
 */
export function newId(startedAt: Date): string {
  const time = startedAt.toISOString().replaceAll(/[-:]/g, '');
  return `${time}-${randomBytes(6).toString('hex')}`;
}

/**
 * Saves a result as `ID.json`: written beside its final name, forced to disk, then renamed, so that
 * no half file ever has the final name and no file is ever overwritten.
 * @returns the path of the file
 * @throws UnsavedError with the whole document when the disk is full, the folder is gone, or a file
 * of that name exists; {@link rescueResult} is what to do then
 */
export async function saveResult(dir: string, result: Result): Promise<string> {
  const json = `${JSON.stringify(result, null, 1)}\n`;
  try {
    return await writeNew(dir, result.id, json);
  } catch (thrown) {
    const place = quotedPath(join(dir, `${result.id}.json`));
    const reason = reasonOf(thrown);
    throw new UnsavedError(json, result.id, `cannot save ${place}: ${reason}`, { cause: thrown });
  }
}

/**
 * Saves a document that is written again and again as a run goes on: the old one stays until the new
 * one is whole.
 * @throws the error of the file system
 */
export async function replaceDocument(path: string, document: unknown): Promise<void> {
  const temporary = `${path}-${randomBytes(6).toString('hex')}.tmp`;
  await writeWhole(temporary, `${JSON.stringify(document)}\n`);
  try {
    await rename(temporary, path);
  } catch (thrown) {
    await unlink(temporary).catch(() => undefined);
    throw thrown;
  }
  await syncFolder(dirname(path));
}

/**
 * A document on disk that grows as the work goes on. A disk that refuses is told once and does not
 * end the work: every time is a new try, and {@link settle} finds another place at the end.
 */
export class GrowingDocument {
  private unsaved: UnsavedError | undefined;
  private hasTold = false;

  /**
   * @param id of the document, for another place
   * @param say is told, once, when it cannot be saved
   */
  constructor(
    private readonly path: string,
    private readonly id: string,
    private readonly say: (line: string) => void,
  ) {}

  /** Saves what there is so far; the old one stays until the new one is whole. */
  async put(document: unknown): Promise<void> {
    try {
      await replaceDocument(this.path, document);
      this.unsaved = undefined;
    } catch (thrown) {
      const message = `cannot save ${quotedPath(this.path)}: ${reasonOf(thrown)}`;
      const json = `${JSON.stringify(document, null, 1)}\n`;
      this.unsaved = new UnsavedError(json, this.id, message, { cause: thrown });
      if (!this.hasTold) this.say(`no longer saving as it goes: ${message}`);
      this.hasTold = true;
    }
  }

  /**
   * @param print takes the whole document when no disk does
   * @returns where the document is, and whether that is where it should be
   */
  async settle(
    print: (json: string) => Promise<boolean>,
  ): Promise<{ place: string; isSaved: boolean }> {
    if (!this.unsaved) return { place: this.path, isSaved: true };
    return { place: await keepElsewhere(this.unsaved, print), isSaved: false };
  }
}

/**
 * What to do with what could not be saved: the folder for temporary files, then stdout.
 * @param print takes the whole document; false when it could not be written there either
 * @returns in words what became of it
 */
export async function keepElsewhere(
  unsaved: UnsavedError,
  print: (json: string) => Promise<boolean>,
): Promise<string> {
  try {
    return `${unsaved.message}; kept as ${await rescueResult(unsaved)}`;
  } catch (thrown) {
    const nor = `${unsaved.message}, nor in the folder for temporary files (${reasonOf(thrown)})`;
    return (await print(unsaved.json))
      ? `${nor}; it is on stdout`
      : `${nor}, nor on stdout: it is lost`;
  }
}

/**
 * Reads a JSON document of one of our schemas.
 * @param schemaName what its field `schema` must be
 * @throws UsageError in one line: no such file, too large, not JSON, cut off, of another schema (by
 * name and version), or with an invalid field (by path)
 */
export async function loadDocument<T>(
  file: string,
  schemaName: string,
  type: z.ZodType<T>,
): Promise<T> {
  const name = quotedPath(file);
  if (await isJournal(file)) {
    throw new UsageError(
      `${name} is the journal of a run that has not ended or was cut off, not its result`,
      `Make a result of it: envd-bench report ${name} --json > result.json`,
    );
  }
  const document = parse(await readBounded(file, name), name);
  const schema = (document as { schema?: unknown } | null)?.schema;
  if (schema !== schemaName) throw foreign(schema, schemaName, name);
  const checked = type.safeParse(document);
  if (checked.success) return checked.data;
  const [issue, ...more] = checked.error.issues;
  const where = cleanText(pathOf(issue?.path ?? []));
  const words = (issue?.message ?? '')
    .replace(/^.*received undefined$/, 'it is missing')
    .replace(/received Infinity$/, 'received one that is too large');
  const others = more.length > 0 ? ` (and ${more.length} more)` : '';
  throw new UsageError(
    `${name} is not valid: ${where}: ${cleanText(words)}${others}`,
    'It was changed after envd-bench wrote it: make it again',
  );
}

/**
 * The second attempt at saving: in a fresh folder of the system's place for temporary files.
 * @returns the path of the file
 * @throws the error of the file system; then only printing `unsaved.json` is left
 */
export async function rescueResult(unsaved: UnsavedError): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'envd-bench-rescued-'));
  try {
    return await writeNew(dir, unsaved.id, unsaved.json);
  } catch (thrown) {
    await rmdir(dir).catch(() => undefined);
    throw thrown;
  }
}

/**
 * Reads a result file and checks it against the schema.
 * @throws UsageError in one line: no such file, too large, not JSON, cut off, of another schema
 * (by name and version), or with an invalid field (by path)
 */
export function loadResult(file: string): Promise<Result> {
  return loadDocument(file, RESULT_SCHEMA, resultSchema);
}

/** A run that left something in a folder. */
export interface SavedRun {
  id: string;
  path: string;
  /** `journal`: it was cut off before it saved its result, or still goes on. */
  kind: 'result' | 'journal';
}

/**
 * The runs in a folder, the newest first, by the time in their names: copying and checking out
 * change a file's own time. A journal whose result is there too is left out.
 * @throws UsageError when there is none
 */
export async function savedRuns(dir: string): Promise<SavedRun[]> {
  const mend = 'Make one with envd-bench run, or name a file';
  let names: string[];
  try {
    names = await readdir(dir);
  } catch (thrown) {
    throw new UsageError(`no result in ${quotedPath(dir)}: ${reasonOf(thrown)}`, mend);
  }
  const results = names
    .filter((name) => RESULT_FILE.test(name))
    .map((name): SavedRun => ({ id: name.slice(0, -5), path: join(dir, name), kind: 'result' }));
  const saved = new Set(results.map(({ id }) => id));
  const journals = names
    .map(journalId)
    .filter((id) => id !== undefined)
    .filter((id) => !saved.has(id))
    .map((id): SavedRun => ({ id, path: join(dir, journalName(id)), kind: 'journal' }));
  const runs = [...results, ...journals].sort((a, b) => (a.id < b.id ? 1 : -1));
  if (runs.length === 0) throw new UsageError(`no result in ${quotedPath(dir)}`, mend);
  return runs;
}

/**
 * Makes a folder and its parents. One by one: Node's own `recursive` tries again for ever where the
 * parent exists and yet ENOENT is the answer, as in /proc (seen with Node 20).
 */
async function makeFolder(path: string, parentIsMade = false): Promise<void> {
  try {
    await mkdir(path);
  } catch (thrown) {
    const code = codeOf(thrown);
    // Another run may have made it just now.
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (code !== 'ENOENT' || parentIsMade) throw thrown;
    await makeFolder(dirname(path));
    await makeFolder(path, true);
  }
}

async function writeNew(dir: string, id: string, json: string): Promise<string> {
  const path = join(dir, `${id}.json`);
  const temporary = join(dir, `.${id}-${randomBytes(6).toString('hex')}.tmp`);
  await writeWhole(temporary, json);
  try {
    await renameNew(temporary, path);
  } catch (thrown) {
    await unlink(temporary).catch(() => undefined);
    throw thrown;
  }
  await syncFolder(dir);
  return path;
}

/** Writes a new file and forces it to disk. After an error there is no such file. */
async function writeWhole(path: string, text: string): Promise<void> {
  const handle = await open(path, 'wx', 0o644);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } catch (thrown) {
    await unlink(path).catch(() => undefined);
    throw thrown;
  } finally {
    await handle.close();
  }
}

/** Renames, but fails with EEXIST where rename(2) would overwrite: link(2) never does. */
async function renameNew(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (thrown) {
    // Some file systems (FAT, some shared folders) have no hard links: there the name is taken by
    // an empty file first, which the rename then replaces.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(codeOf(thrown) ?? '')) {
      throw thrown;
    }
    await (await open(to, 'wx', 0o644)).close();
    await rename(from, to);
    return;
  }
  await unlink(from);
}

async function readBounded(file: string, name: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    if ((await stat(file)).isDirectory()) {
      throw new UsageError(`${name} is a folder`, 'Name a file in it, e.g. bench-results/ID.json');
    }
    // Counted while reading, not asked beforehand: a pipe or a device does not know its size.
    for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > LARGEST_FILE) {
        throw new UsageError(`${name} is larger than 64 MiB: not a result of envd-bench`);
      }
      chunks.push(chunk);
    }
  } catch (thrown) {
    if (thrown instanceof UsageError) throw thrown;
    const reason = codeOf(thrown) === 'ENOENT' ? 'there is no such file' : reasonOf(thrown);
    throw new UsageError(`cannot read ${name}: ${reason}`, 'Name a file that envd-bench run wrote');
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

function parse(text: string, name: string): unknown {
  const mend = 'Name a file that envd-bench run wrote';
  const trimmed = text.trim();
  if (trimmed === '') throw new UsageError(`${name} is empty`, mend);
  try {
    return JSON.parse(trimmed);
  } catch (thrown) {
    if (isCutOff(trimmed, messageOf(thrown))) {
      throw new UsageError(`${name} is cut off after ${text.length} characters`, mend);
    }
    throw new UsageError(`${name} is not JSON`, mend);
  }
}

/** Whether the text started as a JSON object and only its end is missing. */
function isCutOff(text: string, parserMessage: string): boolean {
  if (!text.startsWith('{')) return false;
  if (!text.endsWith('}') || /end of JSON|Unterminated/.test(parserMessage)) return true;
  const position = /at position (\d+)/.exec(parserMessage)?.[1];
  return position !== undefined && Number(position) >= text.length;
}

function foreign(schema: unknown, wanted: string, name: string): UsageError {
  if (typeof schema !== 'string') {
    return new UsageError(
      `${name} is not a result of envd-bench: it names no schema`,
      `A result has "schema": "${wanted}"`,
    );
  }
  const kind = wanted.slice(0, wanted.lastIndexOf('/') + 1);
  const shown = JSON.stringify(cleanText(schema, 80));
  return new UsageError(
    `${name} has the schema ${shown}; this envd-bench reads "${wanted}" here`,
    schema.startsWith(kind)
      ? 'Read it with the version of envd-bench that wrote it'
      : 'Name a file of the right kind',
  );
}

function pathOf(path: readonly PropertyKey[]): string {
  return path
    .map((step, i) => (typeof step === 'number' ? `[${step}]` : `${i ? '.' : ''}${String(step)}`))
    .join('');
}
