import type { AgentChoice } from '../agents/agent-choice.js';
import { beginsWithin, formatDuration } from '../base/duration.js';
import type { LaneEnd } from '../lane/launch.js';
import type { LaneOutcome } from '../lane/messages.js';
import { type LaneResult, type Note, RESULT_SCHEMA, type Result } from '../results/schema.js';
import type { SeriesRecorder } from '../results/thin.js';
import { evaluateClaims } from './claims/index.js';
import type { Isolation } from './isolation.js';
import { predict } from './lane-spec.js';
import { thisMachine } from './machine.js';
import { findOverload, type OverloadFinding } from './overload.js';
import type { Scenario } from './scenario.js';
import { measuredSoFar } from './so-far.js';
import { toolVersion } from './version.js';

/** One run: what is known of it before it begins. */
export interface RunFrame {
  id: string;
  startedAt: Date;
  scenario: Scenario;
  isolation: Isolation;
}

/** What came of a lane. */
export interface LaneMeasured {
  end: LaneEnd;
  /** All its samples, in case that its process ended before it could say. */
  samples: SeriesRecorder;
}

/** How a run ended. */
export interface RunEnd {
  wasInterrupted: boolean;
  /** For how long the machine was suspended in mid-run, ms. */
  sleptMs: number;
}

/** The boot time is known to a hundredth of a second, and its clock is slewed a little. */
const SLEPT_MS = 500;

/**
 * Makes the result document of what the lanes measured.
 * @param measured what came of each lane; a lane that was not begun is missing
 */
export function makeResult(
  frame: RunFrame,
  measured: ReadonlyMap<AgentChoice, LaneMeasured>,
  { wasInterrupted, sleptMs }: RunEnd,
): Result {
  const empty = emptyResult(frame);
  const lanes = frame.scenario.agents.map((agent) => makeLane(frame, agent, measured.get(agent)));
  const whole = new Set(
    [...measured].filter(([, { end }]) => end.isWhole).map(([{ name }]) => name),
  );
  const isWhole = ({ agent }: LaneResult): boolean => whole.has(agent);
  return judged({
    ...empty,
    complete: !wasInterrupted,
    lanes,
    notes: [
      ...empty.notes,
      ...sourceNotes(frame.isolation, lanes),
      ...sleepNotes(sleptMs),
      ...notesOfLanes(measured),
      ...lanes.flatMap((lane) =>
        overloadsOf(lane, frame.scenario, isWhole(lane)).map(({ text }) => ({
          lane: lane.agent,
          text,
        })),
      ),
    ],
  });
}

/** The result before anything is measured. */
export function emptyResult({ id, startedAt, scenario, isolation }: RunFrame): Result {
  return {
    schema: RESULT_SCHEMA,
    id,
    startedAt: startedAt.toISOString(),
    complete: false,
    tool: { version: toolVersion() },
    machine: thisMachine(),
    scenario: {
      ...scenario.record,
      isolation: isolation.kind,
      isolationReason: isolation.reason,
    },
    lanes: scenario.agents.map((agent) => emptyLane(scenario, agent)),
    checks: [],
    claims: [],
    notes: notes(scenario, isolation),
  };
}

/** The same result with its claims judged anew. */
export function judged(result: Result): Result {
  return { ...result, claims: evaluateClaims(result) };
}

/** A lane's part of the result. */
export function makeLane(
  { scenario }: RunFrame,
  agent: AgentChoice,
  measured: LaneMeasured | undefined,
): LaneResult {
  const empty = emptyLane(scenario, agent);
  if (!measured) return { ...empty, trouble: NOT_BEGUN };
  const { end, samples } = measured;
  if (!end.outcome) {
    const kept = { series: samples.series(), gapMaxMs: samples.gapMaxMs };
    const { lane } = measuredSoFar(empty, kept, scenario.record);
    return { ...lane, trouble: end.message ?? NOT_BEGUN };
  }
  const trouble = end.outcome.trouble ?? (end.isWhole ? unsent(scenario, end.outcome) : null);
  const lane = { ...end.outcome, trouble, predicted: empty.predicted, overload: [] };
  const overloads = overloadsOf(lane, scenario, end.isWhole);
  return { ...lane, overload: overloads.map(({ overload }) => overload) };
}

/** What could not follow in a lane. */
function overloadsOf(lane: LaneResult, { record }: Scenario, wentOn: boolean): OverloadFinding[] {
  const cpus = Math.min(thisMachine().cpus, record.guest.cpus ?? Number.POSITIVE_INFINITY);
  const isWhole = wentOn && lane.trouble === null;
  return findOverload({ lane, load: lane.load, scenario: record, cpus, isWhole });
}

/** What is wrong with a lane whose turn never came. */
export const NOT_BEGUN = 'not begun';

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
    .filter(({ connections, init }) => connections.source !== 'kernel' && (init.sent ?? 0) > 0)
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
function sleepNotes(sleptMs: number): Note[] {
  if (sleptMs < SLEPT_MS) return [];
  const slept = formatDuration(Math.round(sleptMs / 1e3) * 1e3 || 1e3);
  return [
    {
      lane: null,
      text: `the machine was suspended for ${slept} in mid-run, which no figure counts`,
    },
  ];
}

function notes({ record }: Scenario, isolation: Isolation): Note[] {
  const { cpus } = thisMachine();
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

function notesOfLanes(measured: ReadonlyMap<AgentChoice, LaneMeasured>): Note[] {
  return [...measured].flatMap(([agent, { end, samples }]) =>
    (end.outcome ? end.notes : samples.gaps).map((text) => ({ lane: agent.name, text })),
  );
}

/** A lane of which nothing is known. */
function emptyLane(scenario: Scenario, agent: AgentChoice): LaneResult {
  const latency = { p50: null, p99: null, max: null };
  const requests = {
    sent: null,
    answered: null,
    timedOut: null,
    failed: null,
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
    trouble: null,
    predicted: predict(scenario, agent),
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
    overload: [],
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
