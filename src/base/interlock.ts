import { readlinkSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';

/**
 * Names the network namespace that a run was started from. Every process of a run inherits it; only
 * a process whose own namespace is another one may speak to a link-local address.
 */
export const ORIGIN_NETNS = 'ENVD_BENCH_ORIGIN_NETNS';

const linkLocal = new BlockList();
linkLocal.addSubnet('169.254.0.0', 16, 'ipv4');
linkLocal.addSubnet('fe80::', 10, 'ipv6');
// AWS serves its metadata on this unique local address too.
linkLocal.addAddress('fd00:ec2::254', 'ipv6');

/** The identity of this process's network namespace, e.g. `net:[4026531840]`. */
export function currentNetns(): string {
  return readlinkSync('/proc/self/ns/net');
}

/**
 * The interlock: nothing is ever sent to a link-local address outside a namespace that the run made
 * itself, because on a cloud machine that address is the real metadata service.
 * Called once for every destination, before the first socket is opened.
 * @throws Error when `address` is link-local (or no IP address at all) and this process is not in
 * a namespace of its own
 */
export function assertMayReach(address: string): void {
  const family = isIP(address);
  if (family === 0) throw new Error(`refusing to send to "${address}": not an IP address`);
  if (!linkLocal.check(address, family === 6 ? 'ipv6' : 'ipv4')) return;
  const origin = process.env[ORIGIN_NETNS];
  if (!/^net:\[\d+\]$/.test(origin ?? '') || origin === currentNetns()) {
    throw new Error(
      `refusing to send to ${address}: it is link-local, and this process is not inside a network ` +
        'namespace of its own. On a cloud machine that address is the real metadata service',
    );
  }
}
