import { readProc } from './proc/counters.js';
import { countSockets, type RemoteEnd, TCP_STATE } from './proc/sockets.js';
import { NOTHING_READ, type Reader } from './reading.js';

/**
 * Reads what can be told apart on the shared loopback device: the sockets that lead to this lane's
 * own MMDS address. Attempts per lane cannot be: ActiveOpens counts the whole machine.
 */
export function loopbackReader(mmds: RemoteEnd): Reader {
  return () => {
    const table = readProc('/proc/net/tcp');
    if (table === undefined) return NOTHING_READ;
    const counts = countSockets(table, mmds);
    return {
      ...NOTHING_READ,
      timeWait: counts.get(TCP_STATE.timeWait) ?? 0,
      portsInUse: [...counts.values()].reduce((sum, count) => sum + count, 0),
    };
  };
}
