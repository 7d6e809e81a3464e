import { portCapacity } from '../../lane/network/netns.js';
import { timeWaitLimit } from '../../model/closed-form.js';
import { readProc } from '../../observe/proc/counters.js';
import { type Check, limited, ok } from './check.js';

/** What the kernel gives a network namespace of its own (32768-60999, Linux's default). */
const DEFAULT_PORTS = 28_232;

/** The default guest of `run`, 1 GiB. */
const GUEST_BYTES = 2 ** 30;

export const ports: Check = {
  name: 'ports',
  look: () => portsIn(readProc),
};

/** @param read reads a file of /proc, or undefined where that cannot be */
export function portsIn(read: typeof readProc) {
  const sys = '/proc/sys/net/ipv4';
  const capacity = portCapacity(
    read(`${sys}/ip_local_port_range`) ?? '',
    read(`${sys}/ip_local_reserved_ports`) ?? '',
  );
  const timeWait = Number(read(`${sys}/tcp_max_tw_buckets`)) || null;
  const text =
    `on loopback ${capacity ?? 'unknown'} ports and ${timeWait ?? 'unknown'} in TIME_WAIT; a lane of its own has ` +
    `${DEFAULT_PORTS} and ${timeWaitLimit(GUEST_BYTES)} (guest of 1 GiB)`;
  return capacity === null || capacity >= DEFAULT_PORTS
    ? ok(text)
    : limited(
        text,
        'Widen the range for loopback: sysctl net.ipv4.ip_local_port_range="32768 60999"',
      );
}
