import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { firstLine, plainEnvironment, runTool } from '../../../src/lane/network/command.js';

const STRIPPED = [
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'http_proxy',
  'https_proxy',
  'ALL_PROXY',
  'NO_PROXY',
  'NODE_USE_ENV_PROXY',
  'NODE_OPTIONS',
  'NODE_EXTRA_CA_CERTS',
  'NODE_V8_COVERAGE',
  'LD_PRELOAD',
  'LANG',
  'LANGUAGE',
  'GITHUB_TOKEN',
];

let inherited: NodeJS.ProcessEnv;
beforeEach(() => {
  inherited = { ...process.env };
});
afterEach(() => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, inherited);
});

test('the plain environment has no proxy, no options of Node, no locale and no secret', () => {
  for (const name of STRIPPED) process.env[name] = 'x';
  process.env.LC_ALL = 'de_DE.UTF-8';
  process.env.TZ = 'America/New_York';
  const { PATH, HOME, ...others } = plainEnvironment();
  assert.deepEqual(others, { LC_ALL: 'C', TZ: 'UTC' });
  assert.ok(PATH && HOME);
});

test('the plain environment finds administration tools', () => {
  process.env.PATH = '/opt/bin:/usr/sbin';
  assert.deepEqual(plainEnvironment().PATH?.split(':'), [
    '/opt/bin',
    '/usr/sbin',
    '/usr/local/sbin',
    '/sbin',
  ]);
  delete process.env.PATH;
  assert.match(plainEnvironment().PATH ?? '', /^\/usr\/bin:\/bin:/);
});

test('the plain environment takes what is added', () => {
  process.env.ADDED = 'no';
  assert.equal(plainEnvironment({ ADDED: 'yes' }).ADDED, 'yes');
  assert.equal(plainEnvironment().ADDED, undefined);
});

test('a child sees the plain environment and nothing else', async () => {
  for (const name of STRIPPED) process.env[name] = '';
  process.env.HTTP_PROXY = 'http://127.0.0.1:9';
  const names = (await runTool('env', [])).split('\n').map((line) => line.split('=')[0]);
  assert.deepEqual(names.filter((name) => name !== '').sort(), ['HOME', 'LC_ALL', 'PATH', 'TZ']);
});

test('a tool is given its input and says its output', async () => {
  assert.equal(await runTool('cat', [], 'hello\n'), 'hello\n');
});

test('a tool that fails: one line with its name and the first thing that it said', async () => {
  await assert.rejects(runTool('sh', ['-c', 'printf "\\n  first\\nsecond\\n" >&2; exit 3']), {
    message: 'sh: first',
  });
});

test('a tool that takes too long is ended', { timeout: 20_000 }, async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const running = runTool('sleep', ['60']);
  t.mock.timers.tick(9_999);
  t.mock.timers.tick(1);
  await assert.rejects(running, { message: 'sleep took longer than 10 s' });
});

test('a tool that is killed: one line with its name and the signal', async () => {
  await assert.rejects(runTool('sh', ['-c', 'kill -KILL $$']), {
    message: 'sh was killed by SIGKILL',
  });
});

test('a tool that stands still is ended, and with it what it started', async () => {
  await assert.rejects(runTool('sh', ['-c', 'sleep 60 & kill -STOP $$; wait']), {
    message: 'sh was stopped (SIGSTOP)',
  });
});

test('a tool that is not there: one line with its name', async () => {
  // A folder of PATH that may not be read would give EACCES.
  process.env.PATH = '/usr/bin';
  await assert.rejects(runTool('no-such-tool', []), /^Error: no-such-tool: .*ENOENT$/);
});

test('a tool that does not read its input is no error', async () => {
  assert.equal(await runTool('true', [], 'x'.repeat(1_000_000)), '');
});

for (const [text, line] of [
  ['', ''],
  ['\n \n', ''],
  ['one', 'one'],
  ['\n\n  one \ntwo', 'one'],
] as const) {
  test(`the first line of ${JSON.stringify(text)}`, () => assert.equal(firstLine(text), line));
}
