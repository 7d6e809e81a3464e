import { open } from 'node:fs/promises';
import { codeOf, messageOf } from '../base/errors.js';
import { cleanText } from '../base/text.js';

/** Why the file system refuses, in plain words. */
const REASONS: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'part of the path is a file, not a folder',
  EEXIST: 'a file of that name is in the way',
  ENOENT: 'there is no such folder',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EIO: 'the disk fails (input/output error)',
  ENAMETOOLONG: 'the name is too long',
};

/** What the file system had against it, in plain words. */
export function reasonOf(thrown: unknown): string {
  return REASONS[codeOf(thrown) ?? ''] ?? cleanText(messageOf(thrown));
}

/** A path as an error shows it. */
export function quotedPath(path: string): string {
  return JSON.stringify(cleanText(path, 300));
}

/** Makes a new name in a folder survive a power cut. Not every file system can do it. */
export async function syncFolder(dir: string): Promise<void> {
  const handle = await open(dir, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close().catch(() => undefined);
}
