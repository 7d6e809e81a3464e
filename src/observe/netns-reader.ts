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

/** How long the reading of a counter may take to be of one instant, ms: half a percent of a rate. */
const ONE_INSTANT_MS = 5;
const TRIES = 3;

/**
 * Reads a counter together with its time. A reader that is stopped between clock and counter would
 * give the counts of a long time to a short one: a rate that never was.
 */
function readTimed(path: string): { text: string | undefined; atMs: number | null } {
  for (let tries = 1; ; tries++) {
    const beganAt = monotonicMs();
    const text = readProc(path);
    const atMs = monotonicMs();
    if (atMs - beganAt <= ONE_INSTANT_MS) return { text, atMs };
    if (tries === TRIES) return { text, atMs: null };
  }
}

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
    const { text: snmp, atMs } = readTimed(`${net}/snmp`);
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
      atMs,
      activeOpens: tcp.get('ActiveOpens') ?? null,
      attemptFails: tcp.get('AttemptFails') ?? null,
      timeWaitOverflow: tcpExt.get('TCPTimeWaitOverflow') ?? null,
      timeWait: sockets.timeWait,
      portsInUse,
    };
  };
}
