import { isIP } from 'node:net';
import { UsageError } from '../base/errors.js';
import { assertMayReach } from '../base/interlock.js';
import { quoted } from '../base/text.js';

/** Where a comment goes, and with what right. */
export interface Target {
  owner: string;
  repo: string;
  /** The number of the pull request. */
  pullRequest: number;
  /** Without a slash at its end. */
  apiUrl: string;
  token: string;
}

/**
 * Reads where a comment goes from the variables that GitHub Actions sets
 * (https://docs.github.com/en/actions/reference/workflows-and-actions/variables).
 * @param pullRequest what was given as `--pr`
 * @throws UsageError in one line for what is missing or unusable; the token is never in it
 */
export function targetOf(pullRequest: string, env: NodeJS.ProcessEnv): Target {
  const [, owner, repo] =
    /^([\w-]{1,100})\/([\w.-]{1,100})$/.exec(env.GITHUB_REPOSITORY ?? '') ?? [];
  const token = (env.GITHUB_TOKEN ?? '').trim();
  const number = parsePullRequest(pullRequest);
  if (owner === undefined || repo === undefined) {
    throw new UsageError(
      env.GITHUB_REPOSITORY
        ? `GITHUB_REPOSITORY ${quoted(env.GITHUB_REPOSITORY)} is no repository`
        : 'GITHUB_REPOSITORY is not set',
      'Set it to OWNER/NAME',
    );
  }
  if (token === '') {
    throw new UsageError(
      'GITHUB_TOKEN is not set',
      'Give the step env: GITHUB_TOKEN, or see the comment with --dry-run',
    );
  }
  // What no header can hold would end up in an error text.
  if (!/^[\x21-\x7E]+$/.test(token)) {
    throw new UsageError('GITHUB_TOKEN holds characters that no token has');
  }
  return { owner, repo, pullRequest: number, apiUrl: parseApiUrl(env.GITHUB_API_URL), token };
}

/** @throws UsageError unless it is a positive whole number */
export function parsePullRequest(text: string): number {
  const number = Number(text);
  if (/^[1-9]\d{0,9}$/.test(text.trim())) return number;
  throw new UsageError(
    `--pr ${quoted(text)} is no number of a pull request`,
    'Give it as --pr 123',
  );
}

function parseApiUrl(text: string | undefined): string {
  const shown = `GITHUB_API_URL ${quoted(text ?? '')}`;
  const mend = 'Leave it unset for github.com, or give https://HOST/api/v3';
  if (!text) return 'https://api.github.com';
  if (!URL.canParse(text)) throw new UsageError(`${shown} is no address`, mend);
  const { protocol, hostname, username } = new URL(text);
  const isHere = /^(127(\.\d{1,3}){3}|localhost|\[::1\])$/.test(hostname);
  if (protocol !== 'https:' && !(protocol === 'http:' && isHere)) {
    throw new UsageError(`${shown} would send the token in the clear`, mend);
  }
  if (username !== '') throw new UsageError('GITHUB_API_URL holds a user name', mend);
  const address = hostname.replace(/^\[|\]$/g, '');
  if (isIP(address) !== 0) {
    try {
      assertMayReach(address);
    } catch {
      throw new UsageError(`${shown} is a link-local address`, mend);
    }
  }
  return text.replace(/\/+$/, '');
}
