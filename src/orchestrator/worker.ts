import { parentPort, workerData } from 'node:worker_threads';
import { LOOP_TOLD_EVERY_MS, type LoopReading, loopReading } from '../base/event-loop.js';
import { assertMayReach } from '../base/interlock.js';
import { lookUp } from '../base/nearest.js';
import { Driver, type DriverReport, type DriverSettings, type RecentLatency } from './driver.js';
import { retryPolicies } from './retry/index.js';

/** Settings as they cross into the thread: the policy by its name, the agent by its address. */
export interface DriverThreadData extends Omit<DriverSettings, 'policy' | 'origin'> {
  policyName: string;
  host: string;
  port: number;
}

export type DriverCommand = { type: 'run'; startMs: number } | { type: 'stop' } | { type: 'close' };
export type DriverMessage =
  | { type: 'ready' }
  | { type: 'recent'; latency: RecentLatency; loop: LoopReading }
  | { type: 'report'; report: DriverReport }
  | { type: 'closed'; report: DriverReport };

/**
 * The driver has a thread, and so an event loop, of its own: neither MMDS nor the sampler can make it
 * late.
 */
const data = workerData as DriverThreadData;
assertMayReach(data.host);
const driver = new Driver({
  ...data,
  origin: `http://${data.host}:${data.port}`,
  policy: lookUp('retry policy', data.policyName, retryPolicies),
});

const send = (message: DriverMessage): void => parentPort?.postMessage(message);

/** Tells the latest: once a sample. */
const tell = (): void =>
  send({ type: 'recent', latency: driver.takeLatency(), loop: loopReading() });

await driver.warmUp();
send({ type: 'ready' });

parentPort?.on('message', async (command: DriverCommand) => {
  if (command.type === 'run') {
    tell();
    const teller = setInterval(tell, LOOP_TOLD_EVERY_MS);
    const report = await driver.run(command.startMs);
    clearInterval(teller);
    tell();
    send({ type: 'report', report });
  } else if (command.type === 'stop') {
    driver.stop();
  } else {
    await driver.close();
    send({ type: 'closed', report: driver.report() });
    parentPort?.close();
  }
});
