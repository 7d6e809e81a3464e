import { monotonicMs } from '../base/clock.js';
import { parseNetCounters, parseSockStat, readProc } from './proc/counters.js';
import { countSockets, type RemoteEnd } from './proc/sockets.js';
import { NOTHING_READ, type Reader } from './reading.js';

/** Up to how many sockets the socket table is walked at every reading: it counts exactly. */
const WALK_UP_TO = 1_000;

/**
 * The share of a processor that walks of a longer table may take. In between `/proc/net/sockstat` has
 * the same number for nothing, but for the sockets that do not lead to MMDS: those of the driver,
 * which are known from the last walk, and pile up by ten a second at the most where an agent is
 * stuck.
 */
const WALK_SHARE = 0.01;

/**
 * Reads the counters of a network namespace through any process that is in it.
 * @param pid a process inside the agent's namespace
 * @param mmds where the attempts lead
 * @param capacity ephemeral ports towards one destination; null if unknown
 */
export function netnsReader(pid: number, mmds: RemoteEnd, capacity: number | null): Reader {
  const net = `/proc/${pid}/net`;
  let others = 0;
  let nextWalkAt = 0;
  return () => {
    const snmp = readProc(`${net}/snmp`);
    const sockets = parseSockStat(readProc(`${net}/sockstat`) ?? '');
    if (snmp === undefined || !sockets) return NOTHING_READ;
    const tcp = parseNetCounters(snmp, 'Tcp');
    const tcpExt = parseNetCounters(readProc(`${net}/netstat`) ?? '', 'TcpExt');
    const held = sockets.inUse + sockets.timeWait;
    let portsInUse = Math.min(Math.max(0, held - others), capacity ?? Number.POSITIVE_INFINITY);
    const beganAt = monotonicMs();
    if (held <= WALK_UP_TO || beganAt >= nextWalkAt) {
      const counts = countSockets(readProc(`${net}/tcp`) ?? '', mmds);
      portsInUse = [...counts.values()].reduce((sum, count) => sum + count, 0);
      others = Math.max(0, held - portsInUse);
      const endedAt = monotonicMs();
      nextWalkAt = endedAt + (endedAt - beganAt) / WALK_SHARE;
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
