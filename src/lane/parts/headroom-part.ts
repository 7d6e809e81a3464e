import { Worker } from 'node:worker_threads';
import type { HeadroomData, HeadroomMessage } from '../../orchestrator/headroom-worker.js';
import type { Address } from '../network/network.js';

/**
 * Measures how many `/health` requests per second an agent has left.
 * @param seconds how long
 * @param warmUpSeconds how long it is loaded before that at the most
 * @returns null when none was answered
 * @throws Error when the load could not be made
 */
export function measureHeadroom(
  agent: Address,
  seconds: number,
  warmUpSeconds: number,
): Promise<number | null> {
  const workerData: HeadroomData = { ...agent, seconds, warmUpSeconds };
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('../../orchestrator/headroom-worker.js', import.meta.url), {
      workerData,
    });
    worker.once('message', (perSecond: HeadroomMessage) => resolve(perSecond));
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('the load on /health ended early')));
  });
}
