import { open, stat } from 'node:fs/promises';
import { z } from 'zod';
import { laneSchema, type Result, resultSchema } from '../schema.js';
import type { Sample } from '../thin.js';

/**
 * The journal of a run: what it measures, on disk as it comes. One line each, a JSON document, in
 * the order in which it happened; the first is the header. The file goes when the result is there.
 */
export const JOURNAL_SCHEMA = 'envd-bench/journal/v1';

/** How a journal begins, so that it is told apart without reading it whole. */
const BEGINNING = `{"schema":"${JOURNAL_SCHEMA}"`;

/** Not a hidden file: what saves a person's data is to be seen, and GitHub's upload-artifact leaves hidden files out. */
const SUFFIX = '.partial.jsonl';

const writerSchema = z.object({
  pid: z.number().int().positive(),
  startTicks: z.number().int().nonnegative(),
  bootId: z.string().max(64),
  pidNamespace: z.string().max(64),
});

const headerSchema = z.object({
  schema: z.literal(JOURNAL_SCHEMA),
  /** The process that writes it. */
  writer: writerSchema,
  /** The result as it is before anything is measured. */
  result: resultSchema,
});

/** As the result's own schema has them: what is read here is to be read there. */
const measure = z.number().nonnegative().max(Number.MAX_SAFE_INTEGER);
const value = measure.nullable();
const count = z.number().int().nonnegative().nullable();

/** The lane's index in the header's result, `tMs`, then the series in the order of `Sample`. */
const sampleSchema = z.tuple([
  z.number().int().nonnegative(),
  measure,
  value,
  value,
  count,
  count,
  value,
  value,
]);

const endSchema = z.object({
  /** The lane's index. */
  end: z.number().int().nonnegative(),
  isWhole: z.boolean(),
  /** All but the series, which the samples make. */
  lane: laneSchema.omit({ series: true }),
});

export type JournalHeader = z.infer<typeof headerSchema>;
export type JournalEnd = z.infer<typeof endSchema>;

/** What a line says. */
export type JournalEntry =
  | { kind: 'sample'; lane: number; sample: Sample }
  | ({ kind: 'end' } & JournalEnd);

export function headerLine(header: Omit<JournalHeader, 'schema'>): string {
  return `${JSON.stringify({ schema: JOURNAL_SCHEMA, ...header })}\n`;
}

export function sampleLine(lane: number, sample: Sample): string {
  const { tMs, pollers, connectionsPerSecond, portsInUse, timeWait } = sample;
  const { initLatencyMs, healthLatencyMs } = sample;
  return `${JSON.stringify([
    lane,
    tMs,
    pollers,
    connectionsPerSecond,
    portsInUse,
    timeWait,
    initLatencyMs,
    healthLatencyMs,
  ])}\n`;
}

export function endLine(end: number, isWhole: boolean, lane: Result['lanes'][number]): string {
  const { series: _series, ...rest } = lane;
  return `${JSON.stringify({ end, isWhole, lane: rest })}\n`;
}

/** @returns undefined when the line is no header of this version */
export function parseHeader(line: string): JournalHeader | undefined {
  const checked = headerSchema.safeParse(jsonOf(line));
  return checked.success ? checked.data : undefined;
}

/** @returns undefined when the line is no entry: what was being written when the power went */
export function parseEntry(line: string): JournalEntry | undefined {
  const json = jsonOf(line);
  if (Array.isArray(json)) {
    const checked = sampleSchema.safeParse(json);
    if (!checked.success) return undefined;
    const [lane, tMs, pollers, connectionsPerSecond, portsInUse, timeWait, init, health] =
      checked.data;
    const latencies = { initLatencyMs: init, healthLatencyMs: health };
    const sample = { tMs, pollers, connectionsPerSecond, portsInUse, timeWait, ...latencies };
    return { kind: 'sample', lane, sample };
  }
  const checked = endSchema.safeParse(json);
  return checked.success ? { kind: 'end', ...checked.data } : undefined;
}

/** The file name of a run's journal. */
export function journalName(id: string): string {
  return `${id}${SUFFIX}`;
}

/** The run whose journal a file name is; undefined when it is none. */
export function journalId(name: string): string | undefined {
  return /^\d{8}T\d{6}\.\d{3}Z-[0-9a-f]{12}(?=\.partial\.jsonl$)/.exec(name)?.[0];
}

/**
 * Whether a file is a journal, by how it begins. Only regular files are looked into: what is read of
 * a pipe is gone. Of what cannot be read the answer is no.
 */
export async function isJournal(file: string): Promise<boolean> {
  try {
    if (!(await stat(file)).isFile()) return false;
    const handle = await open(file, 'r');
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(BEGINNING.length), 0);
      return buffer.toString('utf8', 0, bytesRead) === BEGINNING;
    } finally {
      await handle.close();
    }
  } catch {
    return false;
  }
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
