/** How long a poller lives, ms (envd internal/api/init.go). The boot poller has no such limit. */
export const LIFETIME_MS = 60_000;

/** The period of a poller's ticker, ms; the first tick falls one period after the start. */
export const TICK_MS = 50;

/** After how long a poller gives one request up, ms (envd internal/host/mmds.go). */
export const REQUEST_TIMEOUT_MS = 10_000;

/** How long Linux keeps the port of a connection that the guest closed first (TCP_TIMEWAIT_LEN), ms. */
export const TIME_WAIT_MS = 60_000;

/**
 * What a fault does to the two requests of a tick:
 * - `token-fails`: no token comes of the first request, at once
 * - `metadata-fails`: the first request is answered with something, the metadata are not to be had
 * - `answers`: both are answered, so the poller ends
 * - `hangs`: neither is answered, until the client's timeout
 */
export type FaultEffect = 'token-fails' | 'metadata-fails' | 'answers' | 'hangs';

/**
 * The faults whose effect is the same for every request. Missing on purpose, because what they do
 * depends on when and beside how many others a request comes: `slow` (Firecracker serves 30
 * connections, and a pile of slow requests holds more) and `flap` (up or down at that instant).
 */
const EFFECTS: ReadonlyMap<string, FaultEffect> = new Map([
  ['refused', 'token-fails'],
  ['reset', 'token-fails'],
  // An empty token is a failure in envd, whatever the status.
  ['empty-token', 'token-fails'],
  // envd ignores the status: a body of one line will do as a token, but does not parse as metadata.
  ['http-error', 'metadata-fails'],
  // A page has line breaks, and Go's net/http sends no header with one (httpguts,
  // ValidHeaderFieldValue): the second request is never made. Seen with a real envd.
  ['hijack', 'token-fails'],
  ['none', 'answers'],
  // `null` is valid JSON: the poller ends with empty IDs.
  ['null', 'answers'],
  ['hang', 'hangs'],
  ['blackhole', 'hangs'],
  // Others hold and use all 30 connections: a guest ignores the RST that answers its SYN (see
  // mmds/faults/overload.ts), so the attempt stays in SYN_SENT until the client gives up.
  ['overload', 'hangs'],
]);

/** What a fault does to a request, or undefined where that is not the same for every request. */
export function faultEffect(fault: string): FaultEffect | undefined {
  return EFFECTS.get(fault);
}

/** `issue`: both requests of a tick are attempted whatever the first did; `envd`: as envd does it. */
export type PollerModel = 'issue' | 'envd';

/**
 * Attempts that one tick makes. In envd a failed token request ends the tick.
 * @returns null where the fault has no single effect (see {@link faultEffect})
 */
export function attemptsPerTick(fault: string, poller: PollerModel): 1 | 2 | null {
  if (poller === 'issue') return 2;
  const effect = faultEffect(fault);
  if (effect === undefined) return null;
  return effect === 'token-fails' || effect === 'hangs' ? 1 : 2;
}
