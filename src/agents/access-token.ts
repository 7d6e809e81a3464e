import { createHash } from 'node:crypto';
import type { Attempt } from './attempt.js';
import type { Metadata } from './mmds-requests.js';
import { isUsable, requestMetadata, requestToken, type TickContext } from './poll-models.js';

/** The hash that MMDS holds of an access token (packages/shared/pkg/keys/sha512.go). */
export function hashAccessToken(token: string): string {
  return createHash('sha512').update(token).digest('hex');
}

/** Why an `/init` is refused with 401, or undefined when it may go on. */
export type Verdict = 'access token validation failed' | 'access token reset not authorized';

/**
 * The check of an `/init`'s access token (envd internal/api/init.go, validateInitAccessToken): the
 * stored token passes at once, any other is held against the hash in MMDS, in two tries.
 * @param signal aborted when the caller has gone away, which cancels the request to MMDS
 */
export async function checkAccessToken(
  stored: string | undefined,
  offered: string | undefined,
  mmds: Pick<TickContext, 'mmds' | 'counters'>,
  signal: AbortSignal,
): Promise<Verdict | undefined> {
  if (stored && offered === stored) return undefined;
  const metadata = (await askMmds(mmds, signal)) ?? (await askMmds(mmds, signal));
  const hash = metadata?.accessTokenHash;
  if (hash && hash === hashAccessToken(offered ?? '')) return undefined;
  if (!stored && !hash) return undefined;
  return offered ? 'access token validation failed' : 'access token reset not authorized';
}

/** One try: session token, then metadata. */
function askMmds(
  mmds: Pick<TickContext, 'mmds' | 'counters'>,
  signal: AbortSignal,
): Promise<Metadata | undefined> {
  return new Promise((resolve) => {
    let running: Attempt | undefined;
    const cancel = (): void => running?.cancel();
    const finish = (metadata?: Metadata): void => {
      signal.removeEventListener('abort', cancel);
      resolve(metadata);
    };
    if (signal.aborted) {
      resolve(undefined);
      return;
    }
    signal.addEventListener('abort', cancel, { once: true });
    const context: TickContext = {
      ...mmds,
      ended: () => signal.aborted,
      started: (attempt) => {
        running = attempt;
      },
    };
    requestToken(context, (token) => {
      if (isUsable(token) && !context.ended()) requestMetadata(context, token, finish);
      else finish();
    });
  });
}
