import { Attempt, type MmdsAddress } from './attempt.js';
import type { Counters } from './counters.js';
import {
  isHeaderValue,
  type Metadata,
  metadataRequest,
  parseMetadata,
  tokenRequest,
} from './mmds-requests.js';

/** What one tick needs: where to ask, where to count, and how to tell what it is waiting for. */
export interface TickContext {
  mmds: MmdsAddress;
  counters: Counters;
  /** Whether nobody waits for an answer any more: then no attempt is started. */
  ended(): boolean;
  /** Called with every attempt made, so that it can be cancelled (not before it has connected). */
  started(attempt: Attempt): void;
}

/**
 * What a poller does in one tick of its 50 ms ticker.
 * Calls `done` exactly once, with the metadata when MMDS answered them.
 */
export type PollModel = (context: TickContext, done: (metadata?: Metadata) => void) => void;

/**
 * As envd does it (internal/host/mmds.go): a failed token request ends the tick, and so does a token
 * that cannot be sent.
 */
const envd: PollModel = (context, done) => {
  requestToken(context, (token) => {
    if (isUsable(token) && !context.ended()) requestMetadata(context, token, done);
    else done();
  });
};

/** As the issue counts it: both requests of a tick are attempted, whatever the first one did. */
const issue: PollModel = (context, done) => {
  requestToken(context, (token) => {
    if (!context.ended()) requestMetadata(context, token, done);
    else done();
  });
};

export const pollModels: ReadonlyMap<string, PollModel> = new Map([
  ['issue', issue],
  ['envd', envd],
]);

/** Whether envd makes the second request with this token. */
export function isUsable(token: string): boolean {
  return token !== '' && isHeaderValue(token);
}

/** Asks for a session token; the status is ignored, an empty body is a failure. */
export function requestToken(context: TickContext, done: (token: string) => void): void {
  const request = tokenRequest(context.mmds);
  context.started(
    new Attempt(context.mmds, request, context.counters, (response) =>
      done(response?.body.toString('utf8') ?? ''),
    ),
  );
}

/** Asks for the metadata; the status is ignored, the body must parse. */
export function requestMetadata(
  context: TickContext,
  token: string,
  done: (metadata?: Metadata) => void,
): void {
  const request = metadataRequest(context.mmds, token);
  context.started(
    new Attempt(context.mmds, request, context.counters, (response) =>
      done(response && parseMetadata(response.body)),
    ),
  );
}
