import { parseNetCounters, parseSockStat, readProc } from './proc/counters.js';
import { countSockets, type RemoteEnd } from './proc/sockets.js';
import { NOTHING_READ, type Reader } from './reading.js';

/**
 * Up to how many sockets the socket table is walked at every reading: it counts exactly, and costs
 * about 1 µs a line. Above, `/proc/net/sockstat` has the same number for nothing, but for the few
 * sockets that do not lead to MMDS; those are known from the last walk.
 */
const WALK_UP_TO = 1_000;

/**
 * Reads the counters of a network namespace through any process that is in it.
 * @param pid a process inside the agent's namespace
 * @param mmds where the attempts lead
 */
export function netnsReader(pid: number, mmds: RemoteEnd): Reader {
  const net = `/proc/${pid}/net`;
  let others = 0;
  return () => {
    const snmp = readProc(`${net}/snmp`);
    const sockets = parseSockStat(readProc(`${net}/sockstat`) ?? '');
    if (snmp === undefined || !sockets) return NOTHING_READ;
    const tcp = parseNetCounters(snmp, 'Tcp');
    const tcpExt = parseNetCounters(readProc(`${net}/netstat`) ?? '', 'TcpExt');
    const held = sockets.inUse + sockets.timeWait;
    let portsInUse = Math.max(0, held - others);
    if (held <= WALK_UP_TO) {
      const counts = countSockets(readProc(`${net}/tcp`) ?? '', mmds);
      portsInUse = [...counts.values()].reduce((sum, count) => sum + count, 0);
      others = Math.max(0, held - portsInUse);
    }
    return {
      activeOpens: tcp.get('ActiveOpens') ?? null,
      attemptFails: tcp.get('AttemptFails') ?? null,
      timeWaitOverflow: tcpExt.get('TCPTimeWaitOverflow') ?? null,
      timeWait: sockets.timeWait,
      portsInUse,
    };
  };
}
