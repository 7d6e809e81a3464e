import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '../../src/github/client.js';
import { GithubError, type Trouble } from '../../src/github/errors.js';
import { putComment, stickyBody } from '../../src/github/sticky.js';
import { FakeGithub, type Scripted } from './fake-github.js';

const TOKEN = 'ghs_0123456789abcdef';
const KEY = 'report';

/** Waits are counted in ms instead of seconds. */
const options = { secondMs: 1, userAgent: 'envd-bench/test' };

async function put(github: FakeGithub, body: string, pullRequest = 7) {
  const target = { owner: 'octo', repo: 'bench', pullRequest, apiUrl: github.url, token: TOKEN };
  return putComment(await createClient(target, options), KEY, stickyBody(KEY, body), 1);
}

/** A test with a GitHub of its own. */
function withGithub(name: string, run: (github: FakeGithub) => Promise<void>): void {
  test(name, { timeout: 60_000 }, async () => {
    const github = await new FakeGithub().start();
    try {
      await run(github);
    } finally {
      await github.stop();
    }
  });
}

withGithub('the first comment is created, the next one updates it', async (github) => {
  assert.equal((await put(github, 'first')).done, 'created');
  const { done, url } = await put(github, 'second');
  assert.equal(done, 'updated');
  assert.equal(github.comments.length, 1);
  assert.equal(url, github.comments[0]?.html_url);
  assert.equal(github.comments[0]?.body, stickyBody(KEY, 'second'));
  assert.equal((await put(github, 'second')).done, 'unchanged');
  for (const { authorization } of github.asked) assert.equal(authorization, `token ${TOKEN}`);
});

withGithub('line ends that GitHub changed are no change', async (github) => {
  github.add(stickyBody(KEY, 'a\nb\n').replaceAll('\n', '\r\n').trim(), github.login);
  assert.equal((await put(github, 'a\nb\n')).done, 'unchanged');
});

withGithub('it is found on a later page', async (github) => {
  for (let i = 0; i < 250; i++) github.add(`comment ${i}`);
  const mine = github.add(stickyBody(KEY, 'old'), github.login);
  assert.equal((await put(github, 'new')).done, 'updated');
  assert.equal(github.comments.length, 251);
  assert.equal(mine.body, stickyBody(KEY, 'new'));
  assert.equal(github.kinds().filter((kind) => kind === 'GET list').length, 3);
});

withGithub('a marker that somebody else copied is left alone', async (github) => {
  const copied = github.add(stickyBody(KEY, 'not ours'), 'mallory');
  const quoted = github.add(`> ${stickyBody(KEY, 'quoted')}`, github.login);
  const other = github.add(stickyBody('other', 'of another key'), github.login);
  assert.equal((await put(github, 'ours')).done, 'created');
  assert.deepEqual(
    [copied.body, quoted.body, other.body],
    [
      stickyBody(KEY, 'not ours'),
      `> ${stickyBody(KEY, 'quoted')}`,
      stickyBody('other', 'of another key'),
    ],
  );
});

for (const identity of ['graphql', 'rest', 'nobody'] as const) {
  withGithub(`it knows its own comment where ${identity} says who it is`, async (github) => {
    github.identity = identity;
    if (identity === 'rest') github.login = 'a-person';
    github.add(stickyBody(KEY, 'copied'), 'mallory');
    github.add(stickyBody(KEY, 'old'), github.login);
    assert.equal((await put(github, 'new')).done, 'updated');
    assert.equal(github.comments[0]?.body, stickyBody(KEY, 'copied'));
  });
}

const again: [comment: string, kind: string, scripts: Scripted[], expected: string][] = [
  ['5xx while listing', 'GET list', [error(502), error(503)], 'created'],
  ['a rate limit while listing', 'GET list', [limited()], 'created'],
  ['a secondary rate limit on creating', 'POST create', [secondary(), secondary()], 'created'],
  ['5xx on creating', 'POST create', [error(500), error(502)], 'created'],
  [
    '5xx on creating, though it was created',
    'POST create',
    [{ ...error(504), doesIt: true }],
    'unchanged',
  ],
];
for (const [comment, kind, scripts, expected] of again) {
  withGithub(`it goes on after ${comment}, with one comment in the end`, async (github) => {
    github.scripts.set(kind, [...scripts]);
    assert.equal((await put(github, 'text')).done, expected);
    assert.equal(github.comments.length, 1);
    assert.deepEqual(github.scripts.get(kind), []);
  });
}

withGithub('it goes on after 5xx on updating', async (github) => {
  github.add(stickyBody(KEY, 'old'), github.login);
  github.scripts.set('PATCH update', [error(500), secondary()]);
  assert.equal((await put(github, 'new')).done, 'updated');
  assert.equal(github.comments.length, 1);
});

const ended: [comment: string, kind: string, script: Scripted, trouble: Trouble, says: RegExp][] = [
  [
    'a token that may only read',
    'POST create',
    { status: 403, message: 'Resource not accessible by integration' },
    'read-only',
    /may not comment.*Resource not accessible/,
  ],
  ['a token that sees nothing to write', 'POST create', error(404), 'read-only', /may not comment/],
  [
    'a token that may not even read',
    'GET list',
    { status: 403, message: 'Resource not accessible by integration' },
    'read-only',
    /may not comment/,
  ],
  ['no such pull request', 'GET list', error(404), 'missing', /no pull request 7 in octo\/bench/],
  [
    'a wrong token',
    'GET list',
    { status: 401, message: 'Bad credentials' },
    'bad-token',
    /not valid/,
  ],
  [
    'a comment that GitHub does not take',
    'POST create',
    { status: 422, message: 'Validation Failed' },
    'refused',
    /Validation Failed/,
  ],
  [
    'a rate limit that lasts for an hour',
    'GET list',
    { ...limited(), headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': in1h() } },
    'rate-limit',
    /rate limit/,
  ],
  [
    'a message full of escapes',
    'POST create',
    { status: 422, message: `\u001B[31m${TOKEN}\n${'x'.repeat(9000)}` },
    'refused',
    /\*\*\*/,
  ],
];
for (const [comment, kind, script, trouble, says] of ended) {
  withGithub(`it ends with ${comment}: ${trouble}`, async (github) => {
    github.scripts.set(kind, [script]);
    await assert.rejects(put(github, 'text'), (thrown) => {
      assert.ok(thrown instanceof GithubError);
      assert.equal(thrown.trouble, trouble);
      assert.match(thrown.message, says);
      assert.doesNotMatch(thrown.message, /\p{Cc}/u);
      assert.ok(!`${thrown.stack} ${JSON.stringify(thrown)}`.includes(TOKEN));
      return true;
    });
    // Asked once: what cannot become better is not asked again.
    assert.equal(github.kinds().filter((one) => one === kind).length, 1);
    assert.equal(github.comments.length, 0);
  });
}

withGithub('another pull request is not this one', async (github) => {
  await assert.rejects(put(github, 'text', 8), /no pull request 8/);
});

withGithub('a server that never recovers ends it', async (github) => {
  github.scripts.set('GET list', Array<Scripted>(50).fill(error(500)));
  await assert.rejects(put(github, 'text'), /did not answer properly/);
  assert.ok(github.asked.length <= 5);
});

test('nobody listens', { timeout: 60_000 }, async () => {
  const github = await new FakeGithub().start();
  await github.stop();
  await assert.rejects(put(github, 'text'), (thrown) => {
    return thrown instanceof GithubError && thrown.trouble === 'uncertain';
  });
});

function error(status: number): Scripted {
  return { status, message: status === 404 ? 'Not Found' : 'Server Error' };
}

function limited(): Scripted {
  const past = String(Math.floor(Date.now() / 1e3) - 1);
  const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': past };
  return { status: 403, message: 'API rate limit exceeded', headers };
}

function secondary(): Scripted {
  return {
    status: 403,
    message: 'You have exceeded a secondary rate limit. Please wait a few minutes.',
    headers: { 'retry-after': '2' },
  };
}

function in1h(): string {
  return String(Math.floor(Date.now() / 1e3) + 3600);
}

withGithub('a comment whose fields are of another type is somebody else’s', async (github) => {
  github.add(stickyBody(KEY, 'old'), 'somebody');
  const strange = { id: 1, body: 7, html_url: null, user: 'me' };
  github.comments.unshift(strange as unknown as (typeof github.comments)[number]);
  assert.equal((await put(github, 'new')).done, 'created');
});
