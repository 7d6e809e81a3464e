/** A value in which every part may be left out, down to the lists. */
export type Part<T> = T extends readonly unknown[] | null
  ? T
  : T extends object
    ? { [K in keyof T]?: Part<T[K]> }
    : T;

/** A value like another one; whatever `change` names is otherwise. */
export function merged<T extends object>(base: T, change: Part<T>): T {
  const result: Record<string, unknown> = Object.fromEntries(Object.entries(base));
  for (const [name, value] of Object.entries(change)) {
    const old = result[name];
    result[name] = isRecord(old) && isRecord(value) ? merged(old, value) : value;
  }
  return result as T;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
