import { cleanText } from '../base/text.js';

/**
 * Why GitHub did not do what was asked.
 * `read-only`: the token may not do it, as that of a pull request from a fork; `missing`: there is
 * no such pull request, or the token may not see it; `uncertain`: it may or may not have been done.
 */
export type Trouble =
  | 'read-only'
  | 'missing'
  | 'bad-token'
  | 'refused'
  | 'rate-limit'
  | 'uncertain';

/** What GitHub, or the way to it, answered. The message is one line and without the token. */
export class GithubError extends Error {
  override readonly name = 'GithubError';
  constructor(
    readonly trouble: Trouble,
    message: string,
  ) {
    super(cleanText(message, 300));
  }
}
