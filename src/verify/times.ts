import type { LaneSpec } from '../lane/spec.js';

/** The time scale of an agent, ms. */
export interface Times {
  /** How long a poller lives after the `/init` that started it. */
  lifetimeMs: number;
  /** The period of its ticker. */
  tickMs: number;
}

/** envd's own (internal/api/init.go, internal/host/mmds.go): a program cannot be told others. */
const ENVD: Times = { lifetimeMs: 60_000, tickMs: 50 };

/** Scaled down, so that a suite takes seconds; 60 ticks still fit into a life. */
const REFERENCE: Times = { lifetimeMs: 1_500, tickMs: 25 };

export function timesOf(agent: LaneSpec['agent']): Times {
  return agent.kind === 'reference' ? REFERENCE : ENVD;
}

/**
 * How much later than its own clock says an agent may act on a busy machine, ms. Only what fails
 * waits for so long.
 */
export const PATIENCE_MS = 5_000;

/** Without a poll for so long there is no poller: several ticks, and never a mere hiccup. */
export function quietMs({ tickMs }: Times): number {
  return Math.max(6 * tickMs, 250);
}
