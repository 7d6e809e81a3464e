import { constants } from 'node:os';

/** How a process ended. */
export interface Exit {
  code: number | null;
  signal: string | null;
  /** Why it could not be started at all. */
  error?: string;
}

/** In words that follow its name: `was killed by SIGKILL`, `exited 7`. */
export function howEnded({ code, signal, error }: Exit): string {
  if (error !== undefined) return `could not be started (${error})`;
  return signal === null ? `exited ${code}` : `was killed by ${signal}`;
}

/** In words that follow its name. */
export const STOPPED = 'was stopped (SIGSTOP)';

/**
 * How a program ended, by the status that a shell gives: a death by a signal is 128 and the signal's
 * number (POSIX, 2.8.2). A program that exits with such a status of its own cannot be told apart;
 * by convention it passes on the death of a child.
 */
export function exitOfStatus(status: number): Exit {
  const signal = Object.entries(constants.signals).find(([, number]) => number === status - 128);
  return signal ? { code: null, signal: signal[0] } : { code: status, signal: null };
}

/**
 * How the process ended that unshare(1) waited for. unshare ends as that one did, but up to
 * util-linux 2.38 it fails with EINVAL at setting the disposition of the signal it passes on, which
 * of all signals that end a process SIGKILL alone refuses (sys-utils/unshare.c, signal(2)).
 * @param exit how unshare ended
 * @param stderr what it said
 */
export function exitInside(exit: Exit, stderr: string): Exit {
  return exit.code === 1 && stderr.includes('unshare: sigprocmask unblock failed')
    ? { code: null, signal: 'SIGKILL' }
    : exit;
}

/**
 * When something happened to a lane, in words: `12.3 s into the outage`.
 * @param atMs when, on the monotonic clock
 * @param startMs the begin of its outage; undefined while that is not known yet
 */
export function momentOf(atMs: number, startMs: number | undefined, outageMs: number): string {
  if (startMs === undefined) return 'in set-up';
  if (atMs < startMs) return 'before the outage';
  if (atMs > startMs + outageMs) return 'after the outage';
  return `${((atMs - startMs) / 1e3).toFixed(1)} s into the outage`;
}
