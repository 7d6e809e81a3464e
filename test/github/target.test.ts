import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LONGEST_COMMENT, stickyBody } from '../../src/github/sticky.js';
import { targetOf } from '../../src/github/target.js';
import { assertUsageError } from '../base/usage-error.js';

const env = { GITHUB_TOKEN: 'ghs_secret', GITHUB_REPOSITORY: 'e2b-dev/infra' };

test('the variables of GitHub Actions say where a comment goes', () => {
  assert.deepEqual(targetOf('12', { ...env, GITHUB_API_URL: 'https://ghe.example/api/v3/' }), {
    owner: 'e2b-dev',
    repo: 'infra',
    pullRequest: 12,
    apiUrl: 'https://ghe.example/api/v3',
    token: 'ghs_secret',
  });
  assert.equal(targetOf('12', env).apiUrl, 'https://api.github.com');
  assert.equal(targetOf('1', { ...env, GITHUB_TOKEN: ' ghs_secret\n' }).token, 'ghs_secret');
});

const bad: [comment: string, pr: string, env: NodeJS.ProcessEnv, says: RegExp][] = [
  ['no token', '1', { GITHUB_REPOSITORY: 'a/b' }, /GITHUB_TOKEN is not set/],
  ['a token of blanks', '1', { ...env, GITHUB_TOKEN: '  ' }, /GITHUB_TOKEN is not set/],
  ['a token of two lines', '1', { ...env, GITHUB_TOKEN: 'se\ncret' }, /characters that no token/],
  ['no repository', '1', { GITHUB_TOKEN: 't' }, /GITHUB_REPOSITORY is not set.*OWNER\/NAME/],
  ['half a repository', '1', { ...env, GITHUB_REPOSITORY: 'infra' }, /no repository/],
  ['a path', '1', { ...env, GITHUB_REPOSITORY: 'a/b/../../c' }, /no repository/],
  ['no number', 'abc', env, /--pr "abc" is no number/],
  ['nought', '0', env, /--pr "0" is no number/],
  ['a negative', '-1', env, /no number/],
  ['a fraction', '1.5', env, /no number/],
  ['nothing', '', env, /no number/],
  ['no address', '1', { ...env, GITHUB_API_URL: 'github' }, /no address/],
  ['an open line', '1', { ...env, GITHUB_API_URL: 'http://ghe.example' }, /in the clear/],
  ['another protocol', '1', { ...env, GITHUB_API_URL: 'file:///etc' }, /in the clear/],
  [
    'the metadata service',
    '1',
    { ...env, GITHUB_API_URL: 'https://169.254.169.254' },
    /link-local/,
  ],
  ['the same in disguise', '1', { ...env, GITHUB_API_URL: 'https://0xa9fea9fe/' }, /link-local/],
  ['a password', '1', { ...env, GITHUB_API_URL: 'https://u:pw@ghe.example' }, /user name/],
];
for (const [comment, pr, variables, says] of bad) {
  test(`no target: ${comment}`, () => {
    const { message } = assertUsageError(() => targetOf(pr, variables));
    assert.match(message, says);
    assert.doesNotMatch(message, /secret|pw/);
  });
}

test('a comment begins with its marker, and has text', () => {
  assert.match(stickyBody('report', 'text'), /^<!-- [^>]*report -->\ntext$/);
  assertUsageError(() => stickyBody('report', ' \n'));
  assertUsageError(() => stickyBody('--> x', 'text'));
  assertUsageError(() => stickyBody('', 'text'));
  assert.match(
    assertUsageError(() => stickyBody('report', 'x'.repeat(LONGEST_COMMENT))).message,
    /GitHub takes 65536/,
  );
  assert.ok(stickyBody('k'.repeat(64), 'x'.repeat(65_000)).length <= LONGEST_COMMENT);
});

test('no variable makes anything but a target or one line', () => {
  const word = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(word, word, word, word, (pr, token, repository, api) => {
      const variables = {
        GITHUB_TOKEN: token,
        GITHUB_REPOSITORY: repository,
        GITHUB_API_URL: api,
      };
      try {
        targetOf(pr, variables);
      } catch {
        assertUsageError(() => targetOf(pr, variables));
      }
    }),
  );
});
