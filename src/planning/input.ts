import { parseDuration } from '../base/duration.js';
import { UsageError } from '../base/errors.js';
import { lookUp } from '../base/nearest.js';
import { quoted } from '../base/text.js';
import { isModelled } from '../model/conduct.js';
import type { ScheduledFault } from '../model/predict.js';
import { workObstacle } from '../model/work.js';
import type { Calibration, PlanInput, PlanSolution } from '../results/plan.js';
import type { ScenarioRecord } from '../results/schema.js';
import { DEFAULT_PORT_RANGE, guardRules } from './measured.js';
import type { Planned } from './sandbox.js';
import { UNKNOWNS } from './solve.js';

/** What a plan needs beside a scenario, as it was typed. */
export interface PlanTexts {
  faults: readonly ScheduledFault[];
  agents: readonly ({ name: string } & (
    | { kind: 'reference'; guard: string }
    | { kind: 'external' }
  ))[];
  calibration: Calibration | null;
  sandboxesPerHost: string;
  hosts: string;
  stagger: string | undefined;
  seed: string;
}

/** More sandboxes than any fleet has. */
const MOST_SANDBOXES = 10_000_000;

type PlannedRecord = Omit<
  ScenarioRecord,
  'isolation' | 'isolationReason' | 'repeat' | 'sequential' | 'headroom'
>;

/**
 * Reads what a plan is made of.
 * @throws UsageError in one line for what cannot be planned
 */
export function planned(record: PlannedRecord, texts: PlanTexts): Planned {
  const { memoryBytes, portRange } = record.guest;
  if (memoryBytes === null) {
    throw new UsageError(
      '--guest-memory host cannot be planned with',
      'Give it as --guest-memory 1GiB',
    );
  }
  const obstacle = workObstacle(record);
  if (obstacle !== undefined) {
    throw new UsageError(
      obstacle,
      'Give a longer --interval or a shorter --outage: nothing changes after two minutes',
    );
  }
  const strange = texts.faults.find(({ name }) => !isModelled(name));
  if (strange) throw new UsageError(`the model has no fault ${strange.name}`);
  const sandboxesPerHost = count(texts.sandboxesPerHost, '--sandboxes-per-host');
  const hosts = count(texts.hosts, '--hosts');
  if (sandboxesPerHost * hosts > MOST_SANDBOXES) {
    throw new UsageError(
      `--sandboxes-per-host ${sandboxesPerHost} times --hosts ${hosts} are more than ${MOST_SANDBOXES} sandboxes`,
    );
  }
  const input: PlanInput = {
    intervalMs: record.intervalMs,
    outageMs: record.outageMs,
    fault: record.fault,
    retry: record.retry,
    initTimeoutMs: record.initTimeoutMs,
    retryPauseMs: record.retryPauseMs ?? 0,
    retryBudgetMs: record.retryBudgetMs ?? record.outageMs,
    poller: record.poller,
    auth: record.auth,
    bootPoller: record.bootPoller,
    mmdsClose: record.mmdsClose,
    mmdsVersion: record.mmdsVersion,
    guest: { memoryBytes, portRange: portRange ?? DEFAULT_PORT_RANGE },
    sandboxesPerHost,
    hosts,
    staggerMs: texts.stagger === undefined ? 0 : parseDuration(texts.stagger, '--stagger'),
    seed: count(texts.seed, '--seed', 2 ** 31 - 1),
  };
  const agents = texts.agents.map((agent) => {
    if (agent.kind === 'reference') return { name: agent.name, ...guardRules(agent.guard) };
    throw new UsageError(
      `agent ${agent.name} is a program, and by which rule it polls is not known`,
      'Plan with a built-in agent: --agent guarded',
    );
  });
  return { input, faults: texts.faults, agents, calibration: texts.calibration };
}

/**
 * What `--solve` asks for.
 * @param given the flags that were given: what is sought must not be among them
 * @throws UsageError on an unknown name, or a contradiction
 */
export function assertIsSought(
  text: string,
  given: Readonly<Record<string, unknown>>,
): PlanSolution['solve'] {
  lookUp('value of --solve', text, UNKNOWNS as ReadonlyMap<string, unknown>);
  const sought = [...UNKNOWNS.keys()].find((name) => name === text);
  if (sought === undefined) throw new UsageError(`nothing is known of --solve ${text}`);
  if (given[sought] !== undefined) {
    throw new UsageError(
      `--solve ${sought} and --${sought} contradict: the one asks for what the other sets`,
      `Leave --${sought} out`,
    );
  }
  return sought;
}

function count(text: string, name: string, most = 1_000_000_000_000): number {
  const value = Number(text);
  if (!/^\d{1,13}$/.test(text.trim()) || value < 1 || value > most) {
    throw new UsageError(`${name} ${quoted(text)} is not a number from 1 to ${most}`);
  }
  return value;
}
