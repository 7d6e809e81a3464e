/**
 * What an agent counts of itself. An attempt is one TCP connection attempt; every attempt ends as
 * exactly one of refused, reset, timedOut, answered, failedOtherwise, cancelled or localFailures;
 * only those that an `/init` under way makes of its own (`--auth mmds`) may be open at the end.
 */
export interface Counters {
  /** Attempts made, those included that died locally. */
  attempts: number;
  /** Attempts for which the kernel had no port left (EADDRNOTAVAIL) or no route: no SYN was sent. */
  localFailures: number;
  /** Sockets that could not be made for want of file descriptors; these are no attempts. */
  descriptorFailures: number;
  refused: number;
  reset: number;
  timedOut: number;
  answered: number;
  failedOtherwise: number;
  /** Attempts still under way when their poller ended. */
  cancelled: number;
  ticks: number;
  /** Ticks that fell while a request was in flight and were not made up for. */
  ticksDropped: number;
  attemptsPerPollerMax: number;
  pollersRunning: number;
  pollersPeak: number;
  pollersSpawned: number;
  /** Pollers that ended with an answer. */
  pollersFinished: number;
  /** Pollers that ended at their deadline. */
  pollersExpired: number;
}

export function newCounters(): Counters {
  return {
    attempts: 0,
    localFailures: 0,
    descriptorFailures: 0,
    refused: 0,
    reset: 0,
    timedOut: 0,
    answered: 0,
    failedOtherwise: 0,
    cancelled: 0,
    ticks: 0,
    ticksDropped: 0,
    attemptsPerPollerMax: 0,
    pollersRunning: 0,
    pollersPeak: 0,
    pollersSpawned: 0,
    pollersFinished: 0,
    pollersExpired: 0,
  };
}
