import { createServer } from 'node:http';
import type fc from 'fast-check';
import { cleanText } from '../../../src/base/text.js';
import { createClient } from '../../../src/github/client.js';
import { GithubError } from '../../../src/github/errors.js';
import { putComment, stickyBody } from '../../../src/github/sticky.js';
import { assertPlain, mutated } from '../hostile.js';
import { defineTarget } from '../target.js';

const KEY = 'report';
const comment = {
  id: 7,
  body: `${stickyBody(KEY, 'old')}`,
  html_url: 'https://github.example/octo/bench/pull/7#issuecomment-7',
  user: { login: 'me' },
};
const ANSWERS = {
  list: { status: 200, headers: { 'content-type': 'application/json' }, body: [comment] },
  graphql: {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: { data: { viewer: { login: 'me' } } },
  },
  other: { status: 201, headers: { 'content-type': 'application/json' }, body: comment },
};

type Answers = Record<string, { status: unknown; headers: unknown; body: unknown } | null>;
let answers: Answers = ANSWERS;
const server = createServer((request, response) => {
  request.resume();
  const kind = request.url?.startsWith('/graphql')
    ? 'graphql'
    : request.method === 'GET'
      ? 'list'
      : 'other';
  const { status, headers, body } = answers[kind] ?? { status: 500, headers: {}, body: null };
  try {
    const code = Number(status);
    response.writeHead(code >= 200 && code <= 599 ? code : 500, headers as Record<string, string>);
  } catch {
    response.writeHead(404);
  }
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
});
const listening = new Promise<number>((resolve) => {
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    resolve(typeof address === 'object' && address ? address.port : 0);
  });
});
server.unref();

/** What GitHub's API, or whatever is in front of it, answers. */
export const github = defineTarget({
  name: 'github',
  // An answer that is no good is waited for and asked for again.
  isSlow: true,
  input: mutated(ANSWERS) as fc.Arbitrary<Answers>,
  async check(input) {
    answers = input;
    const apiUrl = `http://127.0.0.1:${await listening}`;
    const target = { owner: 'octo', repo: 'bench', pullRequest: 7, apiUrl, token: 'ghs_secret' };
    try {
      const client = await createClient(target, { secondMs: 0, userAgent: 'fuzz' });
      const { url } = await putComment(client, KEY, stickyBody(KEY, 'new'), 0);
      assertPlain(cleanText(url));
    } catch (thrown) {
      if (!(thrown instanceof GithubError)) throw thrown;
      assertPlain(thrown.message);
    }
  },
  close: async () => {
    server.closeAllConnections();
    server.close();
  },
});
