/** One reading of the kernel's counters for an agent. What cannot be read is null. */
export interface Reading {
  /** When `activeOpens` was read, on the monotonic clock, ms; null where the instant is not known. */
  atMs: number | null;
  /** TCP connection attempts that left the agent (Tcp ActiveOpens). */
  activeOpens: number | null;
  /** Attempts that ended before they were established (Tcp AttemptFails). */
  attemptFails: number | null;
  /** TIME_WAIT sockets dropped because the table was full (TcpExt TCPTimeWaitOverflow). */
  timeWaitOverflow: number | null;
  /** Sockets in TIME_WAIT. */
  timeWait: number | null;
  /** Ephemeral ports held towards MMDS, those in TIME_WAIT included. */
  portsInUse: number | null;
}

/** Reads the counters of one agent. Never throws: what is gone is null. */
export type Reader = () => Reading;

export const NOTHING_READ: Reading = {
  atMs: null,
  activeOpens: null,
  attemptFails: null,
  timeWaitOverflow: null,
  timeWait: null,
  portsInUse: null,
};
