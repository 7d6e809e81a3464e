import { z } from 'zod';
import { laneSchema, resultSchema } from './schema.js';

/** What a number of the result counts; its name says so (`…Ms`, `…Bytes`, `…Seconds`). */
export type FieldUnit = 'ms' | 'seconds' | 'bytes' | 'none';

/** The paths of all numbers that a lane has, e.g. `init.latencyMs.p99`. */
export const LANE_FIELDS: readonly string[] = numbersIn(laneSchema);

/** The paths of all numbers of a result outside its lanes, e.g. `scenario.intervalMs`. */
export const RESULT_FIELDS: readonly string[] = numbersIn(resultSchema);

/** Whether a lane has a number at this path. Keys that the result makes up, as statuses, all exist. */
export function isLaneField(path: string): boolean {
  return hasNumberAt(laneSchema, path.split('.'));
}

/** Whether a result has a number at this path, outside its lanes. */
export function isResultField(path: string): boolean {
  return hasNumberAt(resultSchema, path.split('.'));
}

/** What a number counts, by the name of the field or of what it lies in (`latencyMs.p99`). */
export function unitOf(path: string): FieldUnit {
  const names = path.split('.');
  if (names.some((name) => name.endsWith('Ms'))) return 'ms';
  if (names.some((name) => name.endsWith('Bytes'))) return 'bytes';
  if (names.some((name) => name.endsWith('Seconds'))) return 'seconds';
  return 'none';
}

/**
 * The number at a path.
 * @returns null where nothing was measured, or where there is no such field
 */
export function numberAt(document: unknown, path: string): number | null {
  const names = path.split('.');
  let at: unknown = document;
  for (const [i, name] of names.entries()) {
    if (typeof at !== 'object' || at === null) return null;
    if (Object.hasOwn(at, name)) at = (at as Record<string, unknown>)[name];
    // A status that is not among the answers was answered 0 times; without any answer nobody knows.
    else return names[i - 1] === 'statuses' && Object.keys(at).length > 0 ? 0 : null;
  }
  return typeof at === 'number' ? at : null;
}

function hasNumberAt(schema: z.ZodType, [name, ...rest]: readonly string[]): boolean {
  const type = bare(schema);
  if (name === undefined) return type instanceof z.ZodNumber;
  const inner = childOf(type, name);
  return inner !== undefined && hasNumberAt(inner, rest);
}

function childOf(type: z.ZodType, name: string): z.ZodType | undefined {
  if (type instanceof z.ZodObject) {
    return Object.hasOwn(type.shape, name) ? (type.shape[name] as z.ZodType) : undefined;
  }
  if (type instanceof z.ZodRecord) {
    const isKey = name !== '' && (type.keyType as z.ZodType).safeParse(name).success;
    return isKey ? (type.valueType as z.ZodType) : undefined;
  }
  return undefined;
}

function numbersIn(schema: z.ZodType): string[] {
  const type = bare(schema);
  if (type instanceof z.ZodNumber) return [''];
  if (!(type instanceof z.ZodObject)) return [];
  return Object.entries(type.shape).flatMap(([name, inner]) =>
    numbersIn(inner as z.ZodType).map((path) => (path === '' ? name : `${name}.${path}`)),
  );
}

function bare(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodNullable ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault
    ? bare(schema.unwrap() as z.ZodType)
    : schema;
}
