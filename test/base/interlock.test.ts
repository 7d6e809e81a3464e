import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, test } from 'node:test';
import { assertMayReach, currentNetns, ORIGIN_NETNS } from '../../src/base/interlock.js';
import { whyNoNamespaces } from '../../src/lane/network/namespaces.js';

// Nothing is sent in this file: assertMayReach is asked, and only asked.
const linkLocal = [
  '169.254.169.254',
  '169.254.0.0',
  '169.254.255.255',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '0:0:0:0:0:FFFF:169.254.169.254',
  'fe80::1',
  'FE80::1',
  'febf:ffff::1',
  'fe80::1%eth0',
  'fd00:ec2::254',
];
const noAddresses = [
  '2852039166',
  '0xA9FEA9FE',
  '0xA9.0xFE.0xA9.0xFE',
  '0251.0376.0251.0376',
  '169.254.43518',
  '0169.254.169.254',
  '169.254.169.254.',
  ' 169.254.169.254',
  '169.254.169.254\n',
  '169.254.169.254\u0000',
  '１６９.254.169.254',
  '[fe80::1]',
  'http://127.0.0.1',
  '127.0.0.1:80',
  'metadata.google.internal',
  'localhost',
  '',
];
const others = ['127.0.0.1', '169.253.255.255', '169.255.0.0', '10.0.0.1', '::1', 'fec0::1'];

let inherited: string | undefined;
beforeEach(() => {
  inherited = process.env[ORIGIN_NETNS];
  delete process.env[ORIGIN_NETNS];
});
afterEach(() => {
  delete process.env[ORIGIN_NETNS];
  if (inherited !== undefined) process.env[ORIGIN_NETNS] = inherited;
});

for (const address of linkLocal) {
  test(`the interlock refuses ${address} where nobody named a namespace`, () => {
    assert.throws(() => assertMayReach(address), /link-local/);
  });

  test(`the interlock refuses ${address} in the namespace that the run was started from`, () => {
    process.env[ORIGIN_NETNS] = currentNetns();
    assert.throws(() => assertMayReach(address), /link-local/);
  });

  test(`the interlock refuses ${address} where the name is none of a namespace`, () => {
    for (const name of ['', ' ', '1', 'net:[]', 'net:[x]', `${currentNetns()} `]) {
      process.env[ORIGIN_NETNS] = name;
      assert.throws(() => assertMayReach(address), /link-local/);
    }
  });
}

for (const address of noAddresses) {
  test(`the interlock refuses ${JSON.stringify(address)}: not an IP address`, () => {
    assert.throws(() => assertMayReach(address), /not an IP address/);
    process.env[ORIGIN_NETNS] = 'net:[1]';
    assert.throws(() => assertMayReach(address), /not an IP address/);
  });
}

for (const address of others) {
  test(`the interlock lets ${address} pass`, () => assertMayReach(address));
}

test('the interlock names the namespace of this process', () => {
  assert.match(currentNetns(), /^net:\[\d+\]$/);
});

const interlock = new URL('../../src/base/interlock.js', import.meta.url).href;
const ASK = `
  const { assertMayReach } = await import(${JSON.stringify(interlock)});
  for (const address of ${JSON.stringify(linkLocal)}) assertMayReach(address);
  process.stdout.write('allowed');
`;

/** Asks the interlock in a network namespace of its own. */
function askInside(env: Record<string, string>, shell = 'exec "$@"') {
  const node = [process.execPath, '--input-type=module', '-e', ASK];
  return spawnSync(
    'unshare',
    ['--user', '--map-root-user', '--net', 'sh', '-c', shell, 'sh', ...node],
    {
      encoding: 'utf8',
      env: { PATH: process.env.PATH ?? '', ...env },
      timeout: 30_000,
    },
  );
}

test('the interlock allows link-local addresses inside a namespace of its own, and only there', async (t) => {
  const why = await whyNoNamespaces();
  if (why !== undefined) {
    t.skip(why);
    return;
  }
  const allowed = askInside({ [ORIGIN_NETNS]: currentNetns() });
  assert.equal(allowed.stdout, 'allowed', allowed.stderr);
  // Another namespace than the shell's, but nobody says which one the run was started from.
  const unnamed = askInside({});
  assert.notEqual(unnamed.status, 0);
  assert.match(unnamed.stderr, /link-local/);
  const own = askInside({}, `export ${ORIGIN_NETNS}=$(readlink /proc/self/ns/net); exec "$@"`);
  assert.notEqual(own.status, 0);
  assert.match(own.stderr, /link-local/);
});
