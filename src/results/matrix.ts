import { z } from 'zod';
import { claimSchema, laneSchema, machineSchema } from './schema.js';

/** Name and version of the matrix document. */
export const MATRIX_SCHEMA = 'envd-bench/matrix/v1';

const text = z.string().max(4096);

/** One combination: what its lanes measured, or why there is nothing. */
const cellSchema = z.object({
  fault: text,
  retry: text,
  poller: text,
  lanes: z.array(laneSchema),
  claims: z.array(claimSchema),
  skipped: z.string().optional(),
});

export const matrixSchema = z.object({
  schema: z.literal(MATRIX_SCHEMA),
  id: z.string().regex(/^[\w.-]{1,128}$/),
  startedAt: z.iso.datetime(),
  /** False until every cell is filled or has its reason. */
  complete: z.boolean(),
  tool: z.object({ version: text }),
  machine: machineSchema,
  /** What was asked for, as it was typed: a resumed matrix goes on with it. */
  options: z.object({
    faults: z.array(text),
    retries: z.array(text),
    pollers: z.array(text),
    /** What all cells share. */
    scenario: z.record(z.string(), z.unknown()),
  }),
  isolation: z.enum(['netns', 'loopback']),
  cells: z.array(cellSchema).max(10_000),
});

export type Matrix = z.infer<typeof matrixSchema>;
export type MatrixCell = z.infer<typeof cellSchema>;
