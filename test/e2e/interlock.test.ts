import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyNoNamespaces } from '../../src/lane/network/namespaces.js';
import { run } from './cli.js';
import { install } from './install.js';

const { bin, out } = install();
const noNamespaces = await whyNoNamespaces();
const skip = noNamespaces === undefined ? false : `no network namespaces: ${noNamespaces}`;

/**
 * A machine whose whole link-local range leads to one device that counts: the runs are started in it,
 * and what the device has sent afterwards left the runs' own namespaces.
 */
const MACHINE = `
set -e
ip link set lo up
# Without IPv6, which says hello on every new device.
[ ! -e /proc/sys/net/ipv6 ] || echo 1 > /proc/sys/net/ipv6/conf/default/disable_ipv6
ip link add trap type veth peer name trapped
ip addr add 169.254.99.1/16 dev trap
ip link set trap arp off
ip link set trap up
ip link set trapped up
cd "$2"
sent() { awk '$1 == "trap:" { print $11 }' /proc/net/dev; }
before=$(sent)
"$1" run --outage 2s --out "$2" >&2
"$1" run --outage 2s --out "$2" --isolation loopback >&2
echo "runs $(( $(sent) - before ))"
echo proof > /dev/udp/169.254.169.254/80
echo "proof $(( $(sent) - before ))"
`;

test('nothing is sent to 169.254.0.0/16 outside the run’s namespaces', {
  skip,
  timeout: 120_000,
}, async () => {
  const { code, stdout, stderr } = await run([
    'unshare',
    '--user',
    '--map-root-user',
    '--net',
    '--mount',
    'bash',
    '-c',
    MACHINE,
    'bash',
    bin,
    out,
  ]);
  assert.equal(code, 0, stderr);
  const counts = new Map(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split(' ') as [string, string]),
  );
  assert.equal(counts.get('runs'), '0');
  // The trap does count: a packet of our own shows.
  assert.equal(counts.get('proof'), '1');
});
