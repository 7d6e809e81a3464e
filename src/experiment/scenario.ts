import { type AgentChoice, parseAgent } from '../agents/agent-choice.js';
import { pollModels } from '../agents/poll-models.js';
import { parseDuration } from '../base/duration.js';
import { UsageError } from '../base/errors.js';
import { lookUp } from '../base/nearest.js';
import { parseSize } from '../base/size.js';
import { quoted } from '../base/text.js';
import { type FaultStep, parseFaultSchedule } from '../mmds/schedule.js';
import { retryPolicies } from '../orchestrator/retry/index.js';
import type { ScenarioRecord } from '../results/schema.js';
import type { ScenarioText } from './scenario-text.js';

/** One scenario: what the result records of it, and what only the run needs. */
export interface Scenario {
  record: Omit<ScenarioRecord, 'isolation' | 'isolationReason'>;
  agents: readonly AgentChoice[];
  faults: readonly FaultStep[];
}

/** More `/init`s than anybody can mean. */
const MOST_INITS = 10_000_000;
const MOST_REPEATS = 1_000;
const MOST_LANES = 16;

/**
 * Reads a scenario.
 * @returns one scenario for every interval and repeat, in the order in which they are to be run
 * @throws UsageError in one line for whatever cannot be
 */
export function parseScenarios(text: ScenarioText): Scenario[] {
  const intervals = text.interval
    .flatMap((list) => list.split(','))
    .map((one) => parseDuration(one, '--interval'));
  const outageMs = parseDuration(text.outage, '--outage');
  const policy = lookUp('retry policy', text.retry, retryPolicies);
  lookUp('poller', text.poller, pollModels);
  const repeats = parseCount(text.repeat, '--repeat', MOST_REPEATS);
  const base = {
    outageMs,
    fault: text.fault.trim(),
    retry: oneOf('--retry', policy.name, ['fixed', 'orchestrator']),
    initTimeoutMs:
      text.initTimeout === undefined
        ? policy.initTimeoutMs
        : parseWholeMs(text.initTimeout, '--init-timeout'),
    retryPauseMs: parseDuration(text.retryPause, '--retry-pause'),
    retryBudgetMs: parseDuration(text.retryBudget, '--retry-budget'),
    poller: oneOf('--poller', text.poller, ['issue', 'envd']),
    auth: oneOf('--auth', text.auth, ['stored', 'mmds']),
    bootPoller: text.bootPoller,
    mmdsClose: oneOf('--mmds-close', text.mmdsClose, ['auto', 'agent', 'mmds']),
    mmdsVersion: oneOf('--mmds-version', text.mmdsVersion, ['V2', 'V1']),
    guest: {
      memoryBytes: text.guestMemory === 'host' ? null : parseGuestMemory(text.guestMemory),
      cpus: text.guestCpus === 'host' ? null : parseCount(text.guestCpus, '--guest-cpus', 1024),
      portRange: text.portRange === undefined ? null : parsePortRange(text.portRange),
    },
    headroom: text.headroom,
    sequential: text.sequential,
  } as const;
  const faults = parseFaultSchedule(text.fault, '--fault');
  const pollFunction = text.stackDump === 'off' ? null : parseFunctionName(text.pollFunction);
  oneOf('--stack-dump', text.stackDump, ['on', 'off']);
  const agents = parseAgents(text.agent, pollFunction);
  return intervals.flatMap((intervalMs) => {
    if (outageMs / intervalMs > MOST_INITS) {
      throw new UsageError(
        `--interval and --outage make more than ${MOST_INITS} /init requests`,
        'Give a longer --interval or a shorter --outage',
      );
    }
    return Array.from({ length: repeats }, (_, i) => ({
      record: { ...base, intervalMs, repeat: { index: i + 1, of: repeats } },
      agents,
      faults,
    }));
  });
}

/**
 * Reads agents: a built-in name, NAME=BUILT-IN for a lane of another name, or NAME=COMMAND.
 * @throws UsageError for an unknown agent, a command that cannot run, or a name given twice
 */
function parseAgents(texts: readonly string[], pollFunction: string | null): AgentChoice[] {
  const agents = texts.map((text) => parseAgent(text, '--agent', pollFunction));
  if (agents.length > MOST_LANES) throw new UsageError(`more than ${MOST_LANES} agents`);
  const twice = agents.find(({ name }, i) => agents.findIndex((a) => a.name === name) !== i);
  if (twice) {
    throw new UsageError(
      `two agents are called ${twice.name}`,
      `Give one another name: --agent ${twice.name}2=…`,
    );
  }
  return agents;
}

function parseFunctionName(text: string): string {
  if (/^[A-Za-z_]\w{0,99}$/.test(text)) return text;
  throw new UsageError(
    `--poll-function ${quoted(text)} is not the name of a Go function`,
    'Give it without its package: --poll-function PollForMMDSOpts',
  );
}

function parseGuestMemory(text: string): number {
  const bytes = parseSize(text, '--guest-memory');
  if (bytes < 64 * 2 ** 20) {
    throw new UsageError(
      `--guest-memory ${quoted(text)} is less than 64MiB`,
      'Give it as --guest-memory 512MiB, or host for this machine’s own limits',
    );
  }
  return bytes;
}

function parsePortRange(text: string): [number, number] {
  const mend = 'Give it as --port-range 32768-60999, within 1024-65535';
  const match = /^(\d{1,5})-(\d{1,5})$/.exec(text.trim());
  if (!match) throw new UsageError(`--port-range ${quoted(text)} is not LO-HI`, mend);
  const [low, high] = [Number(match[1]), Number(match[2])];
  if (low < 1024 || high > 65535) {
    throw new UsageError(`--port-range ${quoted(text)} is outside 1024-65535`, mend);
  }
  if (low > high) throw new UsageError(`--port-range ${quoted(text)} is the wrong way round`, mend);
  return [low, high];
}

function parseCount(text: string, name: string, most: number): number {
  const value = Number(text);
  if (!/^\d{1,9}$/.test(text.trim()) || value < 1 || value > most) {
    throw new UsageError(`${name} ${quoted(text)} is not a number from 1 to ${most}`);
  }
  return value;
}

function oneOf<const T extends string>(name: string, text: string, values: readonly T[]): T {
  return lookUp(`value of ${name}`, text, new Map(values.map((value) => [value as string, value])));
}

/** Node's timers know whole ms: what is recorded must be what was waited. */
function parseWholeMs(text: string, name: string): number {
  const ms = parseDuration(text, name);
  if (Number.isInteger(ms)) return ms;
  throw new UsageError(
    `${name} ${quoted(text)} is not a number of whole ms`,
    `Give it as ${name} 50ms`,
  );
}
