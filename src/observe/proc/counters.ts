import { readFileSync } from 'node:fs';

/** Counters of a network namespace, by name: `/proc/PID/net/snmp` and `/proc/PID/net/netstat`. */
export type NetCounters = ReadonlyMap<string, number>;

/**
 * Parses one section of `/proc/net/snmp` or `/proc/net/netstat`: a line of names and a line of
 * values, both with the same prefix (proc_pid_net(5)).
 * @param section the prefix, e.g. `Tcp` or `TcpExt`
 * @returns empty when the section is missing
 */
export function parseNetCounters(text: string, section: string): NetCounters {
  const prefix = `${section}: `;
  const [names, values] = text.split('\n').filter((line) => line.startsWith(prefix));
  const counters = new Map<string, number>();
  if (!names || !values) return counters;
  const numbers = values.slice(prefix.length).split(' ');
  names
    .slice(prefix.length)
    .split(' ')
    .forEach((name, i) => {
      // Not Number(): of an empty text that is 0, and what was not read is no 0.
      const value = Number.parseInt(numbers[i] ?? '', 10);
      if (Number.isSafeInteger(value)) counters.set(name, value);
    });
  return counters;
}

/** What `/proc/PID/net/sockstat` says of TCP over IPv4. */
export interface SockStat {
  /** Sockets in a state other than TIME_WAIT, listeners included. */
  inUse: number;
  timeWait: number;
}

/** Parses `/proc/net/sockstat`; undefined when the TCP line is missing. */
export function parseSockStat(text: string): SockStat | undefined {
  const line = /^TCP: inuse (\d{1,15}) orphan \d+ tw (\d{1,15})\b/m.exec(text);
  return line ? { inUse: Number(line[1]), timeWait: Number(line[2]) } : undefined;
}

/** Reads a file of /proc, or undefined when it, or the process, is gone (ENOENT, ESRCH). */
export function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
