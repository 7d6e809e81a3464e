import { Client } from 'undici';
import { monotonicMs, sleepUntil } from '../base/clock.js';
import { codeOf, messageOf } from '../base/errors.js';
import { assertMayReach } from '../base/interlock.js';
import type { Address } from './network/network.js';

/** How long an agent may take until it is healthy, ms. */
const READY_WITHIN_MS = 10_000;
const ASK_EVERY_MS = 20;

/**
 * Waits until the agent is ready: `GET /health` answers 204. That its process lives is not enough.
 * @param isOver whether the agent has ended meanwhile
 * @throws Error with the last answer when it is not ready in time
 */
export async function untilHealthy(agent: Address, isOver: () => boolean): Promise<void> {
  assertMayReach(agent.host);
  const deadline = monotonicMs() + READY_WITHIN_MS;
  let last = 'nothing';
  while (monotonicMs() < deadline && !isOver()) {
    // Closed from here, so that no TIME_WAIT is left with the agent.
    const client = new Client(`http://${agent.host}:${agent.port}`);
    try {
      const answer = await client.request({
        method: 'GET',
        path: '/health',
        signal: AbortSignal.timeout(1_000),
      });
      await answer.body.dump();
      if (answer.statusCode === 204) return;
      last = `status ${answer.statusCode}`;
    } catch (thrown) {
      last = codeOf(thrown) ?? messageOf(thrown);
    } finally {
      await client.destroy();
    }
    await sleepUntil(monotonicMs() + ASK_EVERY_MS);
  }
  if (isOver()) throw new Error('it ended before it was ready');
  throw new Error(
    `GET /health on port ${agent.port} did not answer 204 within ${READY_WITHIN_MS / 1e3} s ` +
      `(last answer: ${last})`,
  );
}
