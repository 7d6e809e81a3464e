import { LIFETIME_MS, TICK_MS, TIME_WAIT_MS } from './facts.js';

/**
 * The continuous formulas of the storm: every `/init` starts a poller, none ends before its
 * lifetime, every attempt fails at once. Interval I, lifetime L, tick τ, attempts per tick a.
 * What is counted exactly, poller by poller and tick by tick, is in discrete.ts.
 */
export interface Storm {
  /** Time between two `/init`s, ms. */
  intervalMs: number;
  /** Lifetime of a poller, ms. */
  lifetimeMs: number;
  /** Period of a poller's ticker, ms. */
  tickMs: number;
  attemptsPerTick: number;
}

/** The storm of the issue at an interval: 60 s, 50 ms, two attempts a tick. */
export function issueStorm(intervalMs: number): Storm {
  return { intervalMs, lifetimeMs: LIFETIME_MS, tickMs: TICK_MS, attemptsPerTick: 2 };
}

/** Pollers alive `tMs` after the first `/init`: min(t, L) / I. */
export function pollersAt(
  tMs: number,
  { intervalMs, lifetimeMs }: Pick<Storm, 'intervalMs' | 'lifetimeMs'>,
): number {
  return Math.min(Math.max(tMs, 0), lifetimeMs) / intervalMs;
}

/** Attempts per second that so many pollers ask for: pollers · a / τ. */
export function demandPerSecond(
  pollers: number,
  attemptsPerTick: number,
  tickMs: number = TICK_MS,
): number {
  return (pollers * attemptsPerTick * 1e3) / tickMs;
}

/**
 * Attempts made in the first `tMs`: the integral of the demand, a · t² / (2 · I · τ) while t ≤ L,
 * and after that a straight line at the demand of L / I pollers.
 */
export function cumulativeAttempts(
  tMs: number,
  { intervalMs, lifetimeMs, tickMs, attemptsPerTick }: Storm,
): number {
  const rising = Math.min(Math.max(tMs, 0), lifetimeMs);
  const steady = Math.max(tMs - lifetimeMs, 0);
  return (attemptsPerTick / (intervalMs * tickMs)) * (rising ** 2 / 2 + steady * lifetimeMs);
}

/**
 * Ports held at `tMs` when every attempt leaves its port in TIME_WAIT for 60 s, as long as there
 * are enough: the attempts of the last 60 s.
 */
export function portsHeldAt(tMs: number, storm: Storm): number {
  return cumulativeAttempts(tMs, storm) - cumulativeAttempts(tMs - TIME_WAIT_MS, storm);
}

/**
 * When the ports held in TIME_WAIT reach `ports`, ms after the first `/init`:
 * sqrt(2 · I · τ · P / a) as long as that is before the first poller and the first TIME_WAIT end.
 * @returns null when they never do
 */
export function timeToFillPortsMs(ports: number, storm: Storm): number | null {
  const { intervalMs, lifetimeMs, tickMs, attemptsPerTick } = storm;
  const rising = Math.sqrt((2 * intervalMs * tickMs * ports) / attemptsPerTick);
  if (rising <= Math.min(lifetimeMs, TIME_WAIT_MS)) return rising;
  // Later the number held still rises, but no faster, and is level once both have passed.
  let from = Math.min(lifetimeMs, TIME_WAIT_MS);
  let to = lifetimeMs + TIME_WAIT_MS;
  if (portsHeldAt(to, storm) < ports) return null;
  while (to - from > 1e-3) {
    const middle = (from + to) / 2;
    if (portsHeldAt(middle, storm) < ports) from = middle;
    else to = middle;
  }
  return to;
}

/**
 * The fewest pollers that, polling steadily, hold `ports` ports in TIME_WAIT: P / (60 s · a / τ),
 * rounded up. 12 for the kernel's default range of 28,232 ports and two attempts a tick.
 */
export function steadyPollersThatFill(
  ports: number,
  attemptsPerTick: number,
  tickMs: number = TICK_MS,
): number {
  return Math.ceil((ports * tickMs) / (TIME_WAIT_MS * attemptsPerTick));
}

/** One bucket of the kernel's table of established connections for so much memory. */
const BYTES_PER_BUCKET = 128 * 2 ** 10;
/** The kernel makes that table no larger, however much memory there is. */
const MOST_BUCKETS = 512 * 2 ** 10;

/**
 * The kernel's own `tcp_max_tw_buckets` for a guest of so much memory: half the buckets of the table
 * of established connections, which has one for every 128 KiB, rounded up to a power of two
 * (Linux net/ipv4/tcp.c, tcp_init). Past it TIME_WAIT sockets are dropped at once.
 * @param memoryBytes the guest's memory
 */
export function timeWaitLimit(memoryBytes: number): number {
  const buckets = 2 ** Math.ceil(Math.log2(memoryBytes / BYTES_PER_BUCKET));
  return Math.floor(Math.min(Math.max(buckets, 1), MOST_BUCKETS) / 2);
}
