import type { AgentChoice } from '../agents/agent-choice.js';
import { guards } from '../agents/guards/index.js';
import type { LaneSpec } from '../lane/spec.js';
import { timeWaitLimit } from '../model/closed-form.js';
import { attemptsPerTick, faultEffect, type PollerModel, TICK_MS } from '../model/facts.js';
import { type LanePrediction, predictLane } from '../model/predict.js';
import type { PollerSign } from '../observe/poller-estimate.js';
import type { Scenario } from './scenario.js';

/** What a lane is told of the scenario. */
export function laneSpec(
  scenario: Scenario,
  agent: LaneSpec['agent'],
  isolation: LaneSpec['isolation'],
): LaneSpec {
  const { record, faults } = scenario;
  const { memoryBytes, cpus, portRange } = record.guest;
  return {
    agent,
    isolation,
    intervalMs: record.intervalMs,
    outageMs: record.outageMs,
    faults: faults.map(({ atMs, fault }) => ({
      atMs,
      fault: { ...fault },
      demandPerPoller: attemptsPerSecond(fault.name, record.poller),
      sign: pollerSign(fault.name),
    })),
    retry: record.retry,
    initTimeoutMs: record.initTimeoutMs,
    retryPauseMs: record.retryPauseMs ?? 0,
    retryBudgetMs: record.retryBudgetMs ?? record.outageMs,
    poller: record.poller,
    auth: record.auth,
    bootPoller: record.bootPoller,
    mmdsClose: record.mmdsClose,
    mmdsVersion: record.mmdsVersion,
    guest: {
      timeWaitLimit: memoryBytes === null ? null : timeWaitLimit(memoryBytes),
      cpus,
      portRange,
    },
    headroom: record.headroom,
  };
}

const NO_PREDICTION: LanePrediction = {
  pollersPeak: null,
  connectionsPerSecondPeak: null,
  connectionsTotal: null,
};

/** The closed form beside what a lane will measure. */
export function predict(scenario: Scenario, agent: AgentChoice): LanePrediction {
  // By which rule it polls is what the run is to find out.
  if (agent.kind === 'external') return NO_PREDICTION;
  const { record, faults } = scenario;
  return predictLane({
    ...record,
    faults: faults.map(({ atMs, fault }) => ({ atMs, ...fault })),
    guarded: agent.guard !== 'unguarded',
    acceptsEmptyStore: guards.get(agent.guard)?.acceptsEmptyStore ?? true,
  });
}

/** By what envd's pollers are told from outside under a fault. */
function pollerSign(fault: string): PollerSign {
  // Late answers keep a poller waiting nearly all of its time.
  if (faultEffect(fault) === 'hangs' || fault === 'slow') return { kind: 'outstanding' };
  const perPoller = attemptsPerSecond(fault, 'envd');
  return perPoller === null ? { kind: 'none' } : { kind: 'rate', perPoller };
}

/** Attempts/s of one poller that nothing holds up; null where it waits for answers, or ends with one. */
function attemptsPerSecond(fault: string, poller: PollerModel): number | null {
  const effect = faultEffect(fault);
  if (effect !== 'token-fails' && effect !== 'metadata-fails') return null;
  const perTick = attemptsPerTick(fault, poller);
  return perTick === null ? null : (perTick * 1e3) / TICK_MS;
}
