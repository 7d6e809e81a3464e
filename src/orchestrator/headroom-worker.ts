import { parentPort, workerData } from 'node:worker_threads';
import autocannon from 'autocannon';
import { assertMayReach } from '../base/interlock.js';

export interface HeadroomData {
  host: string;
  port: number;
  /** How long it loads, s. */
  seconds: number;
}

/** `/health` requests per second that were answered; null when none was. */
export type HeadroomMessage = number | null;

/** Connections of the load: enough to keep one processor of an agent busy. */
const CONNECTIONS = 4;

/**
 * Loads `/health` closed loop, as fast as the agent answers, in a thread of its own. Without a rate
 * autocannon corrects nothing for omitted requests, and a closed loop omits none.
 */
const { host, port, seconds } = workerData as HeadroomData;
assertMayReach(host);

const load = (duration: number) =>
  autocannon({ url: `http://${host}:${port}/health`, connections: CONNECTIONS, duration });

// The first thousands of requests pay for the agent's own warming up.
await load(1);
const result = await load(seconds);
const answered = result['2xx'];
const message: HeadroomMessage = answered > 0 ? answered / result.duration : null;
parentPort?.postMessage(message);
