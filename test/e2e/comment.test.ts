import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { saveResult } from '../../src/results/store.js';
import { storm } from '../fixtures/results.js';
import { FakeGithub } from '../github/fake-github.js';
import { run } from './cli.js';
import { install } from './install.js';

const { bin, out } = install();
const result = await saveResult(out, storm());
const TOKEN = 'ghs_0123456789abcdef';

/** What GitHub Actions sets, and none of this machine's own proxies. */
function variables(github: FakeGithub, more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    GITHUB_TOKEN: TOKEN,
    GITHUB_REPOSITORY: 'octo/bench',
    GITHUB_API_URL: github.url,
    ...more,
  };
}

function withGithub(name: string, body: (github: FakeGithub) => Promise<void>): void {
  test(name, { timeout: 90_000 }, async () => {
    const github = await new FakeGithub().start();
    try {
      await body(github);
    } finally {
      await github.stop();
    }
  });
}

const READ_ONLY = { status: 403, message: 'Resource not accessible by integration' };

withGithub('a result becomes a comment, and stays one', async (github) => {
  for (const done of ['created', 'unchanged']) {
    const command = [bin, 'comment', '--pr', '7', result];
    const { code, stdout, stderr } = await run(command, { env: variables(github) });
    assert.equal(code, 0, stderr);
    assert.equal(stderr, '');
    assert.equal(stdout, `comment ${done}: ${github.comments[0]?.html_url}\n`);
  }
  assert.equal(github.comments.length, 1);
  assert.match(github.comments[0]?.body ?? '', /pollers peak/);
});

withGithub('a dry run prints the comment and asks nobody, without a token', async (github) => {
  const env = { PATH: process.env.PATH, GITHUB_API_URL: github.url };
  const { code, stdout } = await run([bin, 'comment', '--pr', '7', '--dry-run', result], { env });
  assert.equal(code, 0);
  assert.match(stdout, /^<!-- envd-bench comment report -->\n[\s\S]*pollers peak/);
  assert.equal(github.asked.length, 0);
});

withGithub('a read-only token: the job summary has it, and one line says why', async (github) => {
  github.scripts.set('POST create', [READ_ONLY]);
  const summary = join(out, 'summary.md');
  writeFileSync(summary, 'before\n');
  const env = variables(github, { GITHUB_STEP_SUMMARY: summary });
  const { code, stdout, stderr } = await run([bin, 'comment', '--pr', '7', result], { env });
  assert.equal(code, 0);
  assert.equal(stdout, '');
  assert.match(stderr, /^envd-bench: .*may not comment.*job summary.*workflow_run.*\n$/);
  assert.match(readFileSync(summary, 'utf8'), /^before\n<!-- [\s\S]*pollers peak/);
  assert.ok(!stderr.includes(TOKEN));
  rmSync(summary);
});

withGithub('without a summary it goes to stdout', async (github) => {
  for (const more of [{}, { GITHUB_STEP_SUMMARY: join(out, 'none', 'summary.md') }]) {
    github.scripts.set('POST create', [READ_ONLY]);
    const env = variables(github, more);
    const { code, stdout, stderr } = await run([bin, 'comment', '--pr', '7', result], { env });
    assert.equal(code, 0);
    assert.match(stdout, /pollers peak/);
    assert.match(stderr, /the comment is in stdout/);
  }
});

withGithub('no such pull request: exit 2, and the text is not lost', async (github) => {
  const env = variables(github);
  const { code, stdout, stderr } = await run([bin, 'comment', '--pr', '8', result], { env });
  assert.equal(code, 2);
  assert.match(stdout, /pollers peak/);
  assert.match(stderr, /^envd-bench: there is no pull request 8 in octo\/bench.*\n$/);
});

withGithub('a file or stdin can be the text', async (github) => {
  const file = join(out, 'text.md');
  writeFileSync(file, 'from a file\n');
  const args = ['comment', '--pr', '7', '--body-file'];
  assert.equal((await run([bin, ...args, file], { env: variables(github) })).code, 0);
  assert.match(github.comments[0]?.body ?? '', /\nfrom a file\n$/);
  const shell = ['bash', '-c', 'echo from stdin | "$@"', 'bash', bin, ...args, '-'];
  assert.equal((await run(shell, { env: variables(github) })).code, 0);
  assert.match(github.comments[0]?.body ?? '', /\nfrom stdin\n$/);
  rmSync(file);
});

withGithub('it goes through the proxy that the environment names', async (github) => {
  const through: string[] = [];
  const proxy = createServer();
  proxy.on('connect', (request, client, head) => {
    through.push(request.url ?? '');
    const [host = '', port = ''] = (request.url ?? '').split(':');
    if (host !== '127.0.0.1') {
      client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    const upstream = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.write(head);
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on('error', () => client.destroy());
    client.on('error', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const command = [bin, 'comment', '--pr', '7', result];
  try {
    const direct = { HTTP_PROXY: address, HTTPS_PROXY: address, NO_PROXY: '127.0.0.1' };
    assert.equal((await run(command, { env: variables(github, direct) })).code, 0);
    assert.deepEqual(through, []);
    const { NO_PROXY: _, ...proxied } = direct;
    assert.equal((await run(command, { env: variables(github, proxied) })).code, 0);
    assert.ok(through.length > 0 && through.every((to) => github.url.endsWith(to)));
    // A host that does not exist: only the proxy is asked, which refuses.
    through.length = 0;
    const far = { ...proxied, GITHUB_API_URL: 'https://github.invalid/api/v3' };
    const { code, stderr } = await run(command, { env: variables(github, far) });
    assert.equal(code, 2);
    assert.match(stderr, /did not answer properly/);
    assert.ok(!stderr.includes(TOKEN));
    assert.deepEqual([...new Set(through)], ['github.invalid:443']);
  } finally {
    proxy.closeAllConnections();
    proxy.close();
  }
});

const bad: [args: string[], env: NodeJS.ProcessEnv, says: RegExp][] = [
  [['--pr', '7', result], { GITHUB_TOKEN: '' }, /GITHUB_TOKEN is not set/],
  [['--pr', '7', result], { GITHUB_REPOSITORY: 'x' }, /no repository/],
  [['--pr', '7', result], { HTTPS_PROXY: 'nonsense' }, /HTTPS_PROXY/],
  [['--pr', 'x', result], {}, /--pr "x" is no number/],
  [['--pr', '7'], {}, /needs results or --body-file/],
  [['--pr', '7', '--body-file', 'a', result], {}, /not both/],
  [['--pr', '7', '--body-file', 'none.md'], {}, /cannot read "none.md"/],
  [['--pr', '7', '--body-file', '/dev/null'], {}, /the comment is empty/],
  [['--pr', '7', '--body-file', 'long.md'], {}, /GitHub takes 65536/],
  [['--pr', '7', '--key', 'a b', result], {}, /--key/],
  [['--pr', '7', 'none.json'], {}, /no such file/],
  [[result], {}, /pr/],
];
writeFileSync(join(out, 'long.md'), 'x'.repeat(70_000));
for (const [args, env, says] of bad) {
  withGithub(`bad input: comment ${args.join(' ').replace(result, 'RESULT')}`, async (github) => {
    const command = [bin, 'comment', ...args];
    const options = { env: variables(github, env), cwd: out };
    const { code, stdout, stderr } = await run(command, options);
    assert.equal(code, 2, stderr);
    assert.match(stderr, says);
    assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
    assert.equal(stdout, '');
    assert.equal(github.asked.length, 0);
  });
}
