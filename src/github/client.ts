import type { Octokit } from 'octokit';
import { messageOf, UsageError } from '../base/errors.js';
import { GithubError, type Trouble } from './errors.js';
import type { Comment, CommentApi } from './sticky.js';
import type { Target } from './target.js';

/** Pages of 100 comments: more than any pull request has. */
const MOST_PAGES = 200;

/** A request that hangs is as good as lost, ms. */
const REQUEST_TIMEOUT_MS = 30_000;

/** Longer than this nobody waits for a rate limit to end, s. */
const LONGEST_WAIT_S = 120;

const MOST_RETRIES = 3;

/** Whom the token of GitHub Actions writes as, should nobody say. */
const ACTIONS_BOT = 'github-actions[bot]';

export interface ClientOptions {
  /** What a second is to waiting between tries, ms; tests shorten it. */
  secondMs: number;
  userAgent: string;
}

/**
 * GitHub's API for the comments of one pull request. Reading and updating are tried again after
 * errors of the server, everything after rate limits; creating is not tried blindly, see
 * {@link putComment}. Honours `HTTPS_PROXY` and `NO_PROXY`.
 * @throws UsageError when the proxy's address is none
 */
export async function createClient(target: Target, options: ClientOptions): Promise<CommentApi> {
  const octokit = await makeOctokit(target, options);
  const { owner, repo, pullRequest } = target;
  const issue = { owner, repo, issue_number: pullRequest };
  return {
    async *comments() {
      const pages = octokit.paginate
        .iterator(octokit.rest.issues.listComments, {
          ...issue,
          per_page: 100,
        })
        [Symbol.asyncIterator]();
      for (let page = 0; page < MOST_PAGES; page++) {
        const { done, value } = await asked(target, 'read', () => pages.next());
        if (done) return;
        if (!Array.isArray(value?.data)) {
          const words = 'the list of comments is none';
          throw new GithubError('uncertain', EXPLAINED.uncertain(target, words));
        }
        for (const comment of value.data) yield commentOf(comment);
      }
    },
    whoAmI: () => whoAmI(octokit),
    create: (body) =>
      asked(target, 'write', async () => {
        const request = { retries: 0 };
        const { data } = await octokit.rest.issues.createComment({ ...issue, body, request });
        return commentOf(data);
      }),
    update: (id, body) =>
      asked(target, 'write', async () => {
        const { data } = await octokit.rest.issues.updateComment({
          owner,
          repo,
          comment_id: id,
          body,
        });
        return commentOf(data);
      }),
  };
}

async function makeOctokit(target: Target, options: ClientOptions): Promise<Octokit> {
  // Loaded late: the other commands must start without them.
  const [{ Octokit }, { EnvHttpProxyAgent, fetch }] = await Promise.all([
    import('octokit'),
    import('undici'),
  ]);
  let dispatcher: InstanceType<typeof EnvHttpProxyAgent>;
  try {
    dispatcher = new EnvHttpProxyAgent();
  } catch {
    throw new UsageError('HTTPS_PROXY or HTTP_PROXY is no address', 'Give http://HOST:PORT');
  }
  const silent = () => undefined;
  const mayWait = (seconds: number, _: unknown, __: unknown, retries: number) =>
    seconds <= LONGEST_WAIT_S && retries < MOST_RETRIES;
  return new Octokit({
    auth: target.token,
    baseUrl: target.apiUrl,
    userAgent: options.userAgent,
    log: { debug: silent, info: silent, warn: silent, error: silent },
    retry: { retries: MOST_RETRIES, retryAfterBaseValue: options.secondMs },
    throttle: {
      // The plugin's queues are shared by all clients of one id in a process.
      id: crypto.randomUUID(),
      retryAfterBaseValue: options.secondMs,
      onRateLimit: mayWait,
      onSecondaryRateLimit: mayWait,
    },
    request: {
      fetch: (url: string, init: Parameters<typeof fetch>[1]) =>
        fetch(url, { ...init, dispatcher, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) }),
    },
  });
}

/**
 * The token of GitHub Actions may not ask REST who it is, but may ask GraphQL; an older server, or
 * one that only has REST, is the other way round.
 */
async function whoAmI(octokit: Octokit): Promise<string> {
  const request = { retries: 1 };
  try {
    const { viewer } = await octokit.graphql<{ viewer: { login: string } }>(
      'query { viewer { login } }',
      { request },
    );
    if (typeof viewer.login !== 'string') throw new TypeError('no login');
    return viewer.login;
  } catch {
    return octokit.rest.users
      .getAuthenticated({ request })
      .then(({ data }) => text(data.login) || ACTIONS_BOT)
      .catch(() => ACTIONS_BOT);
  }
}

function commentOf(comment: {
  id: number;
  body?: string | undefined;
  html_url: string;
  user?: { login: string } | null;
}): Comment {
  const { id, body, html_url, user } = comment ?? {};
  return { id, body: text(body), author: text(user?.login), url: text(html_url) };
}

/** What answers may be a proxy's: a field of another type is taken for one that is missing. */
function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Asks GitHub, and says in plain words what it answered if it does not do it. */
async function asked<T>(target: Target, kind: 'read' | 'write', ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (thrown) {
    const text = messageOf(thrown).replaceAll(target.token, '***');
    const trouble = troubleOf(thrown, kind);
    throw new GithubError(trouble, EXPLAINED[trouble](target, text));
  }
}

function troubleOf(thrown: unknown, kind: 'read' | 'write'): Trouble {
  const { status, response } = thrown as {
    status?: unknown;
    response?: { headers?: Record<string, unknown> };
  };
  // Without an answer octokit reports 500.
  if (typeof status !== 'number' || status >= 500) return 'uncertain';
  const isLimited =
    status === 429 ||
    /rate limit/i.test(messageOf(thrown)) ||
    response?.headers?.['x-ratelimit-remaining'] === '0';
  if (isLimited) return 'rate-limit';
  if (status === 401) return 'bad-token';
  if (status === 404 && kind === 'read') return 'missing';
  return status === 403 || status === 404 ? 'read-only' : 'refused';
}

const EXPLAINED: Record<Trouble, (target: Target, text: string) => string> = {
  'read-only': (_, text) => `GITHUB_TOKEN may not comment here (${text})`,
  missing: ({ owner, repo, pullRequest }, text) =>
    `there is no pull request ${pullRequest} in ${owner}/${repo}, or GITHUB_TOKEN may not see it (${text})`,
  'bad-token': (_, text) => `GITHUB_TOKEN is not valid (${text})`,
  refused: (_, text) => `GitHub refused the comment (${text})`,
  'rate-limit': (_, text) => `GitHub's rate limit is used up (${text})`,
  uncertain: ({ apiUrl }, text) => `GitHub at ${apiUrl} did not answer properly (${text})`,
};
