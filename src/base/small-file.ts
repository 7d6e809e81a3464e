import { readFileSync, statSync } from 'node:fs';

const LARGEST = 1 << 20;

/**
 * Reads a file that a person wrote, as text. Not a device, which may never end.
 * @param mayWait whether it may be a pipe, as `<(...)` is: until it ends nothing else is done
 * @throws Error of the file system, or that says what it is instead
 */
export function readSmallFile(path: string, mayWait = false): string {
  const stat = statSync(path);
  if (!stat.isFile() && !(mayWait && stat.isFIFO())) throw new Error('it is no regular file');
  if (stat.size > LARGEST) throw new Error('it is larger than 1 MiB');
  return readFileSync(path, 'utf8');
}
