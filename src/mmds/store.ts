import { messageOf, UsageError } from '../base/errors.js';

/** What JSON can hold. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

/** The largest store in bytes of JSON: Firecracker's default `--mmds-size-limit`. */
export const STORE_LIMIT_BYTES = 51_200;
/** The deepest nesting: Firecracker's JSON reader gives up there. */
const DEEPEST = 127;

/** The metadata as Firecracker holds it: one JSON document; null before any data was put. */
export class Store {
  static readonly empty = new Store(null);
  readonly #root: Json;

  private constructor(root: Json) {
    this.#root = root;
  }

  /**
   * @param metadata anything that JSON can hold
   * @throws UsageError when it is no JSON, too large or too deep for Firecracker's store
   */
  static of(metadata: unknown): Store {
    const text = stringify(metadata);
    const bytes = Buffer.byteLength(text);
    if (bytes > STORE_LIMIT_BYTES) {
      throw new UsageError(
        `the metadata has ${bytes} bytes of JSON, and Firecracker's store holds ${STORE_LIMIT_BYTES}`,
        'Give less metadata',
      );
    }
    const root = JSON.parse(text) as Json;
    assertShallow(root, 0);
    return new Store(root);
  }

  /**
   * Looks up a path by the rules of a JSON pointer (RFC 6901); one slash at the end is ignored.
   * @returns undefined where there is nothing
   */
  find(path: string): Json | undefined {
    const pointer = path.endsWith('/') ? path.slice(0, -1) : path;
    if (pointer === '') return this.#root;
    if (!pointer.startsWith('/')) return undefined;
    let value: Json | undefined = this.#root;
    for (const part of pointer.slice(1).split('/')) {
      if (value === undefined) return undefined;
      value = child(value, part.replaceAll('~1', '/').replaceAll('~0', '~'));
    }
    return value;
  }
}

/** Compact JSON with the keys in the order of their UTF-8 bytes, as Firecracker's map keeps them. */
export function toJson(value: Json): string {
  if (isList(value)) return `[${value.map(toJson).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const fields = keysOf(value).map((key) => `${JSON.stringify(key)}:${toJson(value[key] ?? null)}`);
  return `{${fields.join(',')}}`;
}

/**
 * The text form of EC2's metadata service: the keys of an object, one a line, those of objects
 * with a slash; a string as it is.
 * @returns undefined for every other type, which has no such form
 */
export function toImds(value: Json): string | undefined {
  if (typeof value === 'string') return value;
  if (!isObject(value)) return undefined;
  return keysOf(value)
    .map((key) => (isObject(value[key] ?? null) ? `${key}/` : key))
    .join('\n');
}

function child(value: Json, key: string): Json | undefined {
  if (isList(value)) return /^(0|[1-9]\d{0,9})$/.test(key) ? value[Number(key)] : undefined;
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function keysOf(value: { readonly [key: string]: Json }): string[] {
  return Object.keys(value).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function isObject(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function stringify(metadata: unknown): string {
  try {
    const text = JSON.stringify(metadata);
    if (text !== undefined) return text;
  } catch (thrown) {
    throw new UsageError(`the metadata is not JSON: ${messageOf(thrown).split('\n')[0]}`);
  }
  throw new UsageError('the metadata is not JSON', 'Give an object such as {"instanceID":"i-1"}');
}

function assertShallow(value: Json, depth: number): void {
  if (depth > DEEPEST) {
    throw new UsageError(`the metadata is nested deeper than ${DEEPEST} levels`, 'Flatten it');
  }
  if (typeof value !== 'object' || value === null) return;
  for (const inner of Object.values(value)) assertShallow(inner, depth + 1);
}
