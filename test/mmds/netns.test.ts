import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { currentNetns, ORIGIN_NETNS } from '../../src/base/interlock.js';
import { parseFault } from '../../src/mmds/fault-spec.js';
import { startMmds } from '../../src/mmds/mmds.js';

const run = promisify(execFile);
const UNSHARE = ['--user', '--map-root-user', '--net'];

async function reasonAgainst(): Promise<string | false> {
  try {
    await run('unshare', [...UNSHARE, 'ip', 'link', 'show']);
    return false;
  } catch (thrown) {
    return `no user namespaces here: ${String(thrown).split('\n')[0]}`;
  }
}

test('the faults on a veth pair, as the kernel of the guest counts them', async (t) => {
  const reason = await reasonAgainst();
  if (reason) return t.skip(reason);
  const host = fileURLToPath(new URL('./netns-host.js', import.meta.url));
  const { stdout } = await run('unshare', [...UNSHARE, process.execPath, host], {
    env: { ...process.env, [ORIGIN_NETNS]: currentNetns() },
    timeout: 120_000,
  });
  assert.match(stdout, /all as it must be/);
});

test('no address of this machine is ever taken away', async () => {
  const origin = process.env[ORIGIN_NETNS];
  for (const netns of [undefined, currentNetns()]) {
    if (netns === undefined) delete process.env[ORIGIN_NETNS];
    else process.env[ORIGIN_NETNS] = netns;
    const blackhole = startMmds({
      address: '127.0.0.1',
      port: 0,
      network: { kind: 'netns', device: 'lo' },
      metadata: null,
      version: 'V2',
      close: 'auto',
      fault: parseFault('blackhole', '--fault'),
    });
    await assert.rejects(blackhole, /refusing to change addresses of lo/);
  }
  if (origin === undefined) delete process.env[ORIGIN_NETNS];
  else process.env[ORIGIN_NETNS] = origin;
});
