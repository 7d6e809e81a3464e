import { randomBytes } from 'node:crypto';
import { open, realpath, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf, messageOf, UsageError } from '../base/errors.js';
import { cleanText, quoted } from '../base/text.js';

/**
 * Writes a report to a file: beside its final name first and then renamed, so that a reader finds
 * the old file or the new one, whole. A link is followed. A device or a pipe is written to.
 * @param sources the results that the report is made of, which must not be overwritten by it
 * @throws UsageError in one line when it cannot be written, or is one of its own sources
 */
export async function writeReport(
  file: string,
  text: string,
  sources: readonly string[],
): Promise<void> {
  try {
    const target = await realPath(file);
    const kind = await stat(target).catch(() => undefined);
    if (kind?.isDirectory()) throw new UsageError(`--output ${quoted(file)} is a folder`);
    for (const source of sources) {
      if ((await realPath(source)) === target) {
        throw new UsageError(`--output ${quoted(file)} is the result that is to be reported`);
      }
    }
    if (kind && !kind.isFile()) await writeFile(target, text);
    else await replace(target, text);
  } catch (thrown) {
    if (thrown instanceof UsageError) throw thrown;
    const reason =
      codeOf(thrown) === 'ENOENT' ? 'there is no such folder' : cleanText(messageOf(thrown));
    throw new UsageError(`cannot write --output ${quoted(file)}: ${reason}`);
  }
}

/** The absolute path without links; of a file that does not exist yet, its folder's. */
async function realPath(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch (thrown) {
    if (codeOf(thrown) !== 'ENOENT') throw thrown;
    return join(await realpath(dirname(file)), basename(file));
  }
}

async function replace(target: string, text: string): Promise<void> {
  const temporary = join(
    dirname(target),
    `.${basename(target).slice(0, 100)}-${randomBytes(6).toString('hex')}.tmp`,
  );
  const handle = await open(temporary, 'wx', 0o644);
  try {
    await handle.writeFile(text);
    await handle.sync();
    await handle.close();
    await rename(temporary, target);
  } catch (thrown) {
    await handle.close().catch(() => undefined);
    await unlink(temporary).catch(() => undefined);
    throw thrown;
  }
}
