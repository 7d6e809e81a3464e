/** States of a TCP socket as `/proc/net/tcp` numbers them (include/net/tcp_states.h). */
export const TCP_STATE = {
  established: 1,
  synSent: 2,
  timeWait: 6,
  listen: 10,
} as const;

/** Which sockets of a table count: those whose remote end is this one. */
export interface RemoteEnd {
  host: string;
  port: number;
}

/**
 * Counts the sockets of a `/proc/net/tcp` table that lead to `remote`, by state.
 * @returns state number → count; the sum is the number of ephemeral ports held towards `remote`
 */
export function countSockets(table: string, remote: RemoteEnd): Map<number, number> {
  const wanted = `${hexAddress(remote.host)}:${hex(remote.port, 4)}`;
  const counts = new Map<number, number>();
  // A line: `  sl: LOCAL:PORT REMOTE:PORT ST …`, fixed up to ST. Split is too slow for 28,000 lines.
  for (let at = table.indexOf('\n'); at >= 0; at = table.indexOf('\n', at + 1)) {
    const local = table.indexOf(': ', at);
    if (local < 0) break;
    const end = local + 2 + 13 + 1;
    if (!table.startsWith(wanted, end)) continue;
    const state = Number.parseInt(table.slice(end + 14, end + 16), 16);
    counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  return counts;
}

/** An IPv4 address as /proc prints it: the four bytes of network order, read as one little-endian. */
function hexAddress(host: string): string {
  return host
    .split('.')
    .reverse()
    .map((byte) => hex(Number(byte), 2))
    .join('');
}

function hex(value: number, digits: number): string {
  return value.toString(16).toUpperCase().padStart(digits, '0');
}
