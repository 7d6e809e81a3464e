import { z } from 'zod';

/** Name and version of the result document. A file of another one is refused. */
export const RESULT_SCHEMA = 'envd-bench/result/v1';

const count = z.number().int().nonnegative();
/** No clock, counter or rate goes beyond what a double counts exactly: sums and percents stay finite. */
const measure = z.number().nonnegative().max(Number.MAX_SAFE_INTEGER);
/** What was not measured is null: never 0, NaN or a start value. */
const unmeasured = <T extends z.ZodType>(type: T) => type.nullable();
const text = z.string().max(4096);

/** Milliseconds. Exact maximum; percentiles within three significant digits. */
const latency = z.object({
  p50: unmeasured(measure),
  p99: unmeasured(measure),
  max: unmeasured(measure),
});

/**
 * One stream of requests of the driver; counts are null where the run was cut off before they were told. `sent` = `answered` + `timedOut` + `failed`.
 * `latencyMs` is of the answered ones, from the *intended* send time; `slipMs` is how late the
 * driver itself was. `histogram` keeps the whole latency distribution in µs (HdrHistogram V2
 * compressed, base64), so that results merge without loss.
 */
export const requestsSchema = z.object({
  sent: unmeasured(count),
  answered: unmeasured(count),
  timedOut: unmeasured(count),
  failed: unmeasured(count),
  statuses: z.record(z.string().max(8), count),
  latencyMs: latency,
  slipMs: latency,
  histogram: unmeasured(z.string()),
  slipHistogram: unmeasured(z.string()),
});

/** Samples over the lane's own time; every array is as long as `tMs`. */
export const seriesSchema = z
  .object({
    tMs: z.array(measure),
    pollers: z.array(unmeasured(measure)),
    connectionsPerSecond: z.array(unmeasured(measure)),
    portsInUse: z.array(unmeasured(measure)),
    timeWait: z.array(unmeasured(measure)),
    /** The longest answer that arrived since the sample before, ms; null when none arrived. */
    initLatencyMs: z.array(unmeasured(measure)),
    healthLatencyMs: z.array(unmeasured(measure)),
  })
  .refine(
    (series) => Object.values(series).every((values) => values.length === series.tMs.length),
    'arrays of different lengths',
  )
  .refine(
    (series) => series.tMs.every((t, i) => i === 0 || t > (series.tMs[i - 1] ?? t)),
    'tMs does not rise',
  );

/** What the agent's process tree used, over the lane's own time. */
const usageSchema = z.object({
  tMs: z.array(measure),
  cpuSeconds: z.array(measure),
  rssBytes: z.array(count),
  threads: z.array(count),
  openFiles: z.array(unmeasured(count)),
});

/** One event loop during the outage. */
const loopSchema = z.object({
  /** The share of its busiest second in which it did not wait for events. */
  utilizationPeak: unmeasured(measure),
  /** For how long it did not come to its turn at the worst, ms. */
  delayMaxMs: unmeasured(measure),
});

/** How far the tool and the machine could follow. */
const loadSchema = z.object({
  /** The longest time between two samples, ms; ten a second are due. */
  sampleGapMaxMs: measure,
  /** The most processors that the agent's process tree used over a second. */
  agentCpusPeak: unmeasured(measure),
  /** The busiest second of the processors that the agent may use, whoever used them, 0 to 1. */
  processorsBusyPeak: unmeasured(measure).default(null),
  driverLoop: loopSchema,
  /** Of a reference agent. */
  agentLoop: loopSchema,
  mmdsLoop: loopSchema,
});

/** What could not follow, so that figures are not those of the scenario alone. */
const overloadSchema = z.enum(['driver', 'samples', 'agent', 'mmds', 'processors']);

/** What the reference agent itself counted, to be held against the kernel's counters. */
export const agentCountSchema = z.object({
  attempts: count,
  localFailures: count,
  descriptorFailures: count,
  refused: count,
  reset: count,
  timedOut: count,
  answered: count,
  failedOtherwise: count,
  cancelled: count,
  ticks: count,
  ticksDropped: count,
  attemptsPerPollerMax: count,
  pollersFinished: count,
  pollersExpired: count,
});

export const laneSchema = z.object({
  agent: text,
  /** The guard of a built-in agent; null for an external one. */
  guard: unmeasured(text),
  kind: z.enum(['reference', 'external']),
  /** `X-Envd-Version` as answered on `/init`; null if it was never seen. */
  version: unmeasured(text),
  /** Why the lane has no or only part of its figures; null when all went well. */
  trouble: unmeasured(text),
  predicted: z.object({
    pollersPeak: unmeasured(measure),
    connectionsPerSecondPeak: unmeasured(measure),
    connectionsTotal: unmeasured(measure),
  }),
  pollers: z.object({
    peak: unmeasured(count),
    spawned: unmeasured(count),
    /** When the outage was over. */
    atEnd: unmeasured(count).default(null),
    source: unmeasured(z.enum(['agent', 'kernel', 'stack-dump'])),
  }),
  connections: z.object({
    /** ActiveOpens in the agent's namespace (`source` kernel), or the agent's own count. */
    total: unmeasured(count),
    /** The largest number within one second. */
    perSecondPeak: unmeasured(measure),
    /** Attempts that died locally (EADDRNOTAVAIL), which ActiveOpens does not count. */
    localFailures: unmeasured(count),
    source: unmeasured(z.enum(['kernel', 'agent'])),
  }),
  ports: z.object({
    capacity: unmeasured(count),
    peak: unmeasured(count),
    exhaustedAtMs: unmeasured(measure),
    /** When attempts/s fell below half of what the pollers demand while TIME_WAIT grew. */
    kneeAtMs: unmeasured(measure),
  }),
  kernel: z.object({
    attemptFails: unmeasured(count),
    timeWaitOverflow: unmeasured(count),
    timeWaitPeak: unmeasured(count),
    timeWaitLimit: unmeasured(count),
  }),
  agentCount: unmeasured(agentCountSchema),
  /** What the agent ended up with, and whether it is what MMDS served last. */
  identity: unmeasured(z.object({ sandboxId: text, templateId: text, isServed: z.boolean() })),
  init: requestsSchema,
  health: requestsSchema,
  headroom: unmeasured(
    z.object({ beforePerSecond: unmeasured(measure), duringPerSecond: unmeasured(measure) }),
  ),
  /** Of the agent's whole process tree. */
  process: z.object({
    cpuSeconds: unmeasured(measure),
    rssPeakBytes: unmeasured(count),
    threadsPeak: unmeasured(count),
    openFilesPeak: unmeasured(count),
    /** Of a Go binary, from its stack dump at the end. */
    goroutines: unmeasured(count),
    /** Once a second; all arrays are as long as `tMs`. Null in results of before. */
    overTime: unmeasured(usageSchema).default(null),
  }),
  /** Null in results of before. */
  load: unmeasured(loadSchema).default(null),
  /** What of the tool or the machine was overloaded; a note tells by how much. */
  overload: z.array(overloadSchema).max(8).default([]),
  setupMs: unmeasured(measure),
  series: seriesSchema,
});

export const claimSchema = z.object({
  id: text,
  text: text,
  /** The lane that decides it; null where the claim is about two lanes or none. */
  lane: unmeasured(text),
  predicted: unmeasured(z.union([z.number(), text])),
  measured: unmeasured(z.union([z.number(), text])),
  verdict: z.enum(['reproduced', 'refuted', 'not-applicable']),
  /** One sentence: what decided it. */
  reason: text,
});

export const scenarioSchema = z.object({
  intervalMs: z.number().positive(),
  outageMs: z.number().positive(),
  /** As given on the command line: one fault, or a schedule `refused@0s,none@50s`. */
  fault: text,
  retry: z.enum(['fixed', 'orchestrator']),
  initTimeoutMs: z.number().positive(),
  retryPauseMs: unmeasured(measure),
  retryBudgetMs: unmeasured(measure),
  poller: z.enum(['issue', 'envd']),
  auth: z.enum(['stored', 'mmds']),
  bootPoller: z.boolean(),
  isolation: z.enum(['netns', 'loopback']),
  /** Why `--isolation auto` took this one; null when it was asked for. */
  isolationReason: unmeasured(text),
  mmdsClose: z.enum(['auto', 'agent', 'mmds']),
  mmdsVersion: z.enum(['V1', 'V2']),
  guest: z.object({
    memoryBytes: unmeasured(count),
    cpus: unmeasured(count),
    portRange: unmeasured(z.tuple([count, count])),
  }),
  /** Whether `/health` was loaded before the storm and in its last seconds. */
  headroom: z.boolean().default(false),
  /** Lanes one after the other, not side by side. */
  sequential: z.boolean(),
  /** Which of the repeats this is, from 1. */
  repeat: z.object({ index: count, of: count }),
});

export const machineSchema = z.object({
  kernel: text,
  /** What this process may use: affinity and cgroup limits taken into account. */
  cpus: z.number().positive(),
  memoryBytes: count,
  /** What the hardware has. */
  hostCpus: count,
  hostMemoryBytes: count,
  node: text,
});

/** A threshold that was asked for, and how it came out. What was not measured fails it. */
export const checkSchema = z.object({
  /** As it was typed, e.g. `guarded.pollers.peak<=1`. */
  expression: text,
  measured: unmeasured(z.number()),
  verdict: z.enum(['pass', 'fail']),
  /** One sentence, e.g. `1 <= 1` or `no data`. */
  reason: text,
});

/** A sentence about the run that a reader of the figures must know. */
export const noteSchema = z.object({ lane: unmeasured(text), text: text });

export const resultSchema = z.object({
  schema: z.literal(RESULT_SCHEMA),
  id: z.string().regex(/^[\w.-]{1,128}$/),
  startedAt: z.iso.datetime(),
  /** False when the run was interrupted: the figures are of a part of the outage. */
  complete: z.boolean(),
  tool: z.object({ version: text }),
  machine: machineSchema,
  scenario: scenarioSchema,
  lanes: z.array(laneSchema).min(1).max(64),
  claims: z.array(claimSchema).max(256),
  checks: z.array(checkSchema).max(256),
  notes: z.array(noteSchema).max(256),
});

export type Result = z.infer<typeof resultSchema>;
export type LaneResult = z.infer<typeof laneSchema>;
export type Requests = z.infer<typeof requestsSchema>;
/** As the driver tells them: all counted. */
export type CountedRequests = Requests &
  Record<'sent' | 'answered' | 'timedOut' | 'failed', number>;
export type Series = z.infer<typeof seriesSchema>;
export type Usage = z.infer<typeof usageSchema>;
export type AgentCount = z.infer<typeof agentCountSchema>;
export type Load = z.infer<typeof loadSchema>;
export type Overload = z.infer<typeof overloadSchema>;
export type Check = z.infer<typeof checkSchema>;
export type Claim = z.infer<typeof claimSchema>;
export type ScenarioRecord = z.infer<typeof scenarioSchema>;
export type Machine = z.infer<typeof machineSchema>;
export type Note = z.infer<typeof noteSchema>;
