import { parentPort, workerData } from 'node:worker_threads';
import autocannon from 'autocannon';
import { assertMayReach } from '../base/interlock.js';

export interface HeadroomData {
  host: string;
  port: number;
  /** How long it loads, s. */
  seconds: number;
  /** How many seconds it may load before, at the most, until the rate no longer rises. */
  warmUpSeconds: number;
}

/** `/health` requests per second that were answered; null when none was. */
export type HeadroomMessage = number | null;

/** Connections of the load: enough to keep one processor of an agent busy. */
const CONNECTIONS = 4;

/**
 * Loads `/health` closed loop, as fast as the agent answers, in a thread of its own. Without a rate
 * autocannon corrects nothing for omitted requests, and a closed loop omits none.
 */
const { host, port, seconds, warmUpSeconds } = workerData as HeadroomData;
assertMayReach(host);

const load = (duration: number) =>
  autocannon({ url: `http://${host}:${port}/health`, connections: CONNECTIONS, duration });

/** A second that is faster by more than this than the one before is still part of the warming up. */
const STEADY = 1.05;

// The first thousands of requests pay for the agent's own warming up: measured in the middle of it, an
// agent would seem to have more left in the storm than before it.
let before = 0;
for (let second = 0; second < warmUpSeconds; second++) {
  const { '2xx': answered } = await load(1);
  if (answered <= before * STEADY) break;
  before = answered;
}
const result = await load(seconds);
const answered = result['2xx'];
const message: HeadroomMessage = answered > 0 ? answered / result.duration : null;
parentPort?.postMessage(message);
