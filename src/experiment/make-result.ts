import type { AgentChoice } from '../agents/agent-choice.js';
import { beginsWithin, formatDuration } from '../base/duration.js';
import type { LaneEnd } from '../lane/launch.js';
import type { LaneOutcome } from '../lane/messages.js';
import {
  type LaneResult,
  type Machine,
  type Note,
  RESULT_SCHEMA,
  type Result,
} from '../results/schema.js';
import { newId } from '../results/store.js';
import { evaluateClaims } from './claims/index.js';
import type { Isolation } from './isolation.js';
import { predict } from './lane-spec.js';
import { thisMachine } from './machine.js';
import { findOverload } from './overload.js';
import type { Scenario } from './scenario.js';
import { toolVersion } from './version.js';

export interface Measured {
  scenario: Scenario;
  isolation: Isolation;
  startedAt: Date;
  /** What came of each lane; a lane that was not begun is missing. */
  ends: ReadonlyMap<AgentChoice, LaneEnd>;
  /** For how long the machine was suspended in mid-run. */
  sleptMs: number;
  wasInterrupted: boolean;
}

/** The boot time is known to a hundredth of a second, and its clock is slewed a little. */
const SLEPT_MS = 500;

/** Makes the result document of what the lanes measured. */
export function makeResult(measured: Measured): Result {
  const { scenario, isolation, startedAt, ends, wasInterrupted } = measured;
  const machine = thisMachine();
  const overloads: Note[] = [];
  const lanes: LaneResult[] = scenario.agents.map((agent) => {
    const end = ends.get(agent);
    const outcome = end?.outcome ?? nothingMeasured(agent, end?.message ?? 'not begun');
    const trouble = outcome.trouble ?? (end?.isWhole ? unsent(scenario, outcome) : null);
    const found = findOverload({
      lane: outcome,
      load: outcome.load,
      scenario: scenario.record,
      cpus: machine.cpus,
    });
    overloads.push(...found.map(({ text }) => ({ lane: agent.name, text })));
    const overload = found.map((one) => one.overload);
    return { ...outcome, trouble, predicted: predict(scenario, agent), overload };
  });
  const unjudged = {
    schema: RESULT_SCHEMA as typeof RESULT_SCHEMA,
    id: newId(startedAt),
    startedAt: startedAt.toISOString(),
    complete: !wasInterrupted,
    tool: { version: toolVersion() },
    machine,
    scenario: {
      ...scenario.record,
      isolation: isolation.kind,
      isolationReason: isolation.reason,
    },
    lanes,
    checks: [],
    notes: [
      ...notes(scenario, isolation, machine),
      ...sourceNotes(isolation, lanes),
      ...sleepNotes(measured),
      ...overloads,
    ],
  };
  return { ...unjudged, claims: evaluateClaims(unjudged) };
}

/** Why a lane's figures are not those of its interval: the driver could not follow. */
function unsent({ record }: Scenario, { init }: LaneOutcome): string | null {
  if (record.retry !== 'fixed') return null;
  const due = beginsWithin(record.outageMs, record.intervalMs);
  return init.sent === due ? null : `the driver could send only ${init.sent} of ${due} /init`;
}

/** In a network of its own an agent's attempts are the kernel's count, where it can be read. */
function sourceNotes(isolation: Isolation, lanes: readonly LaneResult[]): Note[] {
  if (isolation.kind === 'loopback') return [];
  return lanes
    .filter(({ connections, init }) => connections.source !== 'kernel' && init.sent > 0)
    .map(({ agent, connections }) => ({
      lane: agent,
      text:
        `the kernel's counters (/proc/PID/net/snmp) could not be read: ` +
        (connections.source === 'agent'
          ? "attempts are the agent's own count"
          : 'attempts are not known'),
    }));
}

/** No time passes for lanes while a machine sleeps, but for whoever looks at a clock on the wall. */
function sleepNotes({ sleptMs }: Measured): Note[] {
  if (sleptMs < SLEPT_MS) return [];
  const slept = formatDuration(Math.round(sleptMs / 1e3) * 1e3 || 1e3);
  return [
    {
      lane: null,
      text: `the machine was suspended for ${slept} in mid-run, which no figure counts`,
    },
  ];
}

function notes({ record }: Scenario, isolation: Isolation, { cpus }: Machine): Note[] {
  const said: string[] = [];
  if (isolation.kind === 'loopback') {
    said.push(
      'loopback isolation: attempts are the agent’s own count, guest limits do not apply, and the ' +
        'kernel reuses TIME_WAIT ports on loopback (tcp_tw_reuse=2) as it would not on a guest’s eth0',
    );
  }
  if (record.bootPoller) {
    said.push('the boot poller’s attempts before the first /init are in the totals');
  }
  if (record.guest.cpus !== null && record.guest.cpus > cpus) {
    said.push(`the guest was to have ${record.guest.cpus} CPUs, this machine has ${cpus}`);
  }
  return said.map((text) => ({ lane: null, text }));
}

/** A lane of which nothing is known. */
function nothingMeasured(agent: AgentChoice, trouble: string): LaneOutcome {
  const latency = { p50: null, p99: null, max: null };
  const requests = {
    sent: 0,
    answered: 0,
    timedOut: 0,
    failed: 0,
    statuses: {},
    latencyMs: latency,
    slipMs: latency,
    histogram: null,
    slipHistogram: null,
  };
  return {
    agent: agent.name,
    guard: agent.kind === 'reference' ? agent.guard : null,
    kind: agent.kind,
    version: null,
    trouble,
    pollers: { peak: null, spawned: null, atEnd: null, source: null },
    connections: { total: null, perSecondPeak: null, localFailures: null, source: null },
    ports: { capacity: null, peak: null, exhaustedAtMs: null, kneeAtMs: null },
    kernel: {
      attemptFails: null,
      timeWaitOverflow: null,
      timeWaitPeak: null,
      timeWaitLimit: null,
    },
    agentCount: null,
    identity: null,
    init: requests,
    health: requests,
    headroom: null,
    process: {
      cpuSeconds: null,
      rssPeakBytes: null,
      threadsPeak: null,
      openFilesPeak: null,
      goroutines: null,
      overTime: null,
    },
    load: null,
    setupMs: null,
    series: {
      tMs: [],
      pollers: [],
      connectionsPerSecond: [],
      portsInUse: [],
      timeWait: [],
      initLatencyMs: [],
      healthLatencyMs: [],
    },
  };
}
