import { setTimeout as sleep } from 'node:timers/promises';
import { UsageError } from '../base/errors.js';
import { quoted } from '../base/text.js';
import { GithubError } from './errors.js';

/** GitHub refuses longer comments (`body is too long (maximum is 65536 characters)`). */
export const LONGEST_COMMENT = 65_536;

export interface Comment {
  id: number;
  body: string;
  author: string;
  url: string;
}

/** What is asked of GitHub; everything may throw a {@link GithubError}. */
export interface CommentApi {
  /** All comments of the pull request, the oldest first. */
  comments(): AsyncIterable<Comment>;
  /** The name under which the token writes. */
  whoAmI(): Promise<string>;
  create(body: string): Promise<Comment>;
  update(id: number, body: string): Promise<Comment>;
}

export interface Outcome {
  done: 'created' | 'updated' | 'unchanged';
  url: string;
}

/** How often a comment is tried to be created, when nobody knows whether it was. */
const MOST_TRIES = 3;

/**
 * Puts the hidden marker in front of a comment, by which it is found again.
 * @param key tells several comments of one author apart
 * @throws UsageError for a key that is no word, a body without text, or one that is too long
 */
export function stickyBody(key: string, body: string): string {
  if (!/^[\w.-]{1,64}$/.test(key)) {
    throw new UsageError(`--key ${quoted(key)} is no word`, 'Use letters, digits, - . _');
  }
  if (body.trim() === '') throw new UsageError('the comment is empty');
  const marked = `${markerOf(key)}\n${body}`;
  if (marked.length <= LONGEST_COMMENT) return marked;
  throw new UsageError(
    `the comment has ${marked.length} characters, GitHub takes ${LONGEST_COMMENT}`,
    'Shorten it, or let envd-bench render the results: it keeps to the limit',
  );
}

/**
 * Creates the comment, or updates the one that was left before: it has the marker, and the same
 * author, since anybody can copy a marker.
 * @param body as {@link stickyBody} made it
 * @param pauseMs how long to wait before looking again whether a comment was created after all
 * @throws GithubError when GitHub does not do it
 */
export async function putComment(
  api: CommentApi,
  key: string,
  body: string,
  pauseMs: number,
): Promise<Outcome> {
  for (let tries = 1; ; tries++) {
    const found = await find(api, key);
    if (found && sameText(found.body, body)) return { done: 'unchanged', url: found.url };
    if (found) return { done: 'updated', url: (await api.update(found.id, body)).url };
    try {
      return { done: 'created', url: (await api.create(body)).url };
    } catch (thrown) {
      // Asking once more could leave two comments; looking first does not.
      const isUncertain = thrown instanceof GithubError && thrown.trouble === 'uncertain';
      if (!isUncertain || tries === MOST_TRIES) throw thrown;
      await sleep(pauseMs * tries);
    }
  }
}

async function find(api: CommentApi, key: string): Promise<Comment | undefined> {
  const marker = markerOf(key);
  let me: string | undefined;
  for await (const comment of api.comments()) {
    if (!comment.body.startsWith(marker)) continue;
    me ??= await api.whoAmI();
    if (comment.author.toLowerCase() === me.toLowerCase()) return comment;
  }
  return undefined;
}

function markerOf(key: string): string {
  return `<!-- envd-bench comment ${key} -->`;
}

/** GitHub may give line ends back otherwise than it got them. */
function sameText(a: string, b: string): boolean {
  const plain = (text: string) => text.replaceAll('\r\n', '\n').trim();
  return plain(a) === plain(b);
}
