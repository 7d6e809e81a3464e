import { parseNetCounters, parseSockStat, readProc } from '../../observe/proc/counters.js';
import { type Check, limited, ok } from './check.js';

export const counters: Check = {
  name: 'counters',
  look: () => countersIn(readProc),
};

/** @param read reads a file of /proc, or undefined where that cannot be */
export function countersIn(read: typeof readProc) {
  const absent = [
    ...(parseNetCounters(read('/proc/self/net/snmp') ?? '', 'Tcp').has('ActiveOpens')
      ? []
      : ['net/snmp']),
    ...(parseNetCounters(read('/proc/self/net/netstat') ?? '', 'TcpExt').size > 0
      ? []
      : ['net/netstat']),
    ...(parseSockStat(read('/proc/self/net/sockstat') ?? '') ? [] : ['net/sockstat']),
    ...((read('/proc/self/net/tcp') ?? '').includes('local_address') ? [] : ['net/tcp']),
    ...(read(`/proc/self/task/${process.pid}/children`) === undefined ? ['task/TID/children'] : []),
  ];
  return absent.length === 0
    ? ok('ActiveOpens, TIME_WAIT, sockets and processes can be read from /proc')
    : limited(
        `cannot be read: ${absent.map((file) => `/proc/PID/${file}`).join(', ')}; attempts are then the agent's own count, and ports unknown`,
        'Mount /proc as it is (in a container: without masked paths)',
      );
}
