import type { CountedRequests } from '../../results/schema.js';
import { MissedMoment } from '../errors.js';
import { fail, type Outcome, pass, type Scenario } from '../scenario.js';
import type { Stage } from '../stage.js';
import { warmUp } from '../warm-up.js';

const FAULTS = ['refused', 'hang', 'hijack'];

/** Enough for a 99th percentile. */
const REQUESTS = 100;

/** The interval of the issue, ms; a reference agent's shorter time is driven faster. */
const EVERY_MS = { reference: 20, external: 100 };

const LONGEST_P99_MS = 100;

/** A busy machine makes answers slower, never faster: a slow round is repeated before it counts. */
const MOST_ROUNDS = 3;

export const controlPlane: Scenario = {
  name: 'control-plane',
  summary: '/health and /init stay answered, p99 under 100 ms, through refused, hang and hijack',
  isAlone: true,
  run: async (stage) => {
    await warmUp(stage);
    await stage.unwatch();
    const found: string[] = [];
    for (const fault of FAULTS) {
      await stage.setFault(fault);
      const { verdict, reason } = await playUnder(stage);
      if (verdict === 'fail') return fail(`under ${fault} ${reason}`);
      found.push(`${fault} ${reason}`);
    }
    return pass(`all answered, at p99 under ${found.join(', ')}`);
  },
};

async function playUnder(stage: Stage): Promise<Outcome> {
  let slowest = Number.POSITIVE_INFINITY;
  let slipMs = 0;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const { init, health } = await stage.drive(REQUESTS, EVERY_MS[stage.spec.agent.kind]);
    for (const [path, requests] of [
      ['/init', init],
      ['/health', health],
    ] as const) {
      const { sent, answered } = requests;
      if (answered < sent) return fail(`${path} answered ${answered} of ${sent}`);
    }
    const p99 = Math.max(p99Of(init), p99Of(health));
    if (p99 <= LONGEST_P99_MS) return pass(`${p99.toFixed(1)} ms`);
    slowest = Math.min(slowest, p99);
    slipMs = Math.max(init.slipMs.p99 ?? 0, health.slipMs.p99 ?? 0);
  }
  // The driver has a thread of its own: when that comes late, it is not for the agent's sake.
  if (slipMs > LONGEST_P99_MS / 2) throw new MissedMoment('requests could not be sent in time');
  return fail(
    `the p99 of /init or /health was ${slowest.toFixed(1)} ms at best of ${MOST_ROUNDS} rounds, over ${LONGEST_P99_MS} ms`,
  );
}

function p99Of({ latencyMs }: CountedRequests): number {
  return latencyMs.p99 ?? Number.POSITIVE_INFINITY;
}
