/** Name and version of the plan document. */
export const PLAN_SCHEMA = 'envd-bench/plan/v1';

/** What one sandbox, one host or the fleet comes to. What cannot be known is null. */
export interface PlanFigures {
  pollersPeak: number;
  /** Attempts in the fullest second. */
  connectionsPerSecondPeak: number;
  connectionsTotal: number;
  /** Of a host or the fleet: of all their sandboxes together. */
  ports: {
    capacity: number;
    /** The most that it can be; `peakLeast` is the least, where chance decides between them. */
    peak: number;
    /** Null where nothing is left to chance: then the peak is `peak`. */
    peakLeast: number | null;
    exhaustedAtMs: number | null;
  };
  /** Processor time per second at the fullest second, in cores; null without calibration. */
  cpuCoresPeak: number | null;
  /** Of the agents; null without calibration. */
  memoryBytesPeak: number | null;
}

/** A limit of the sandbox that was met, and when, ms after its first `/init`. */
export interface PlanLimit {
  limit: string;
  atMs: number;
}

export interface PlanAgent {
  agent: string;
  /** Those of the input, or what `--solve` found. */
  intervalMs: number;
  outageMs: number;
  sandboxesPerHost: number;
  perSandbox: PlanFigures;
  /** The busiest host. */
  perHost: PlanFigures;
  fleet: PlanFigures;
  /**
   * What the pollers of one sandbox ask for at their fullest moment, as `predicted` of a run has it;
   * `connectionsPerSecondPeak` is what they make in a whole second, in which some are still being
   * added. Null where there is no closed form.
   */
  demandPerSecondPeak: number | null;
  /** When the sandbox has most pollers, and most connections/s. */
  pollersPeakAtMs: number;
  connectionsPerSecondPeakAtMs: number;
  firstLimit: PlanLimit | null;
  /** All limits that were met, in order. */
  limits: PlanLimit[];
}

/** Figures of one machine, measured in runs of this tool. */
export interface Calibration {
  /** For which machine, agents and results they hold. */
  machine: { kernel: string; cpus: number; node: string };
  agents: string[];
  results: string[];
  cpuSecondsPerAttempt: number | null;
  /** Cores that an agent takes without attempts. */
  cpuCoresIdle: number | null;
  rssBytesPerPoller: number | null;
  rssBytesIdle: number | null;
  /** The highest rate that was measured: above it CPU is extrapolated. */
  attemptsPerSecondSeen: number;
  /** The most attempts/s an agent can make; null when no run shows a machine at its limit. */
  attemptsPerSecond: number | null;
  /** The same with half of the ports held. */
  attemptsPerSecondPastHalf: number | null;
  /** The smallest share of the demand that a run achieved. */
  leastShareOfDemand: number;
}

/** What was asked. */
export interface PlanInput {
  intervalMs: number;
  outageMs: number;
  fault: string;
  retry: 'fixed' | 'orchestrator';
  initTimeoutMs: number;
  retryPauseMs: number;
  retryBudgetMs: number;
  poller: 'issue' | 'envd';
  auth: 'stored' | 'mmds';
  bootPoller: boolean;
  mmdsClose: 'auto' | 'agent' | 'mmds';
  mmdsVersion: 'V1' | 'V2';
  guest: { memoryBytes: number; portRange: [number, number] };
  sandboxesPerHost: number;
  hosts: number;
  /** Over what time the sandboxes' outages begin, ms; 0: all at once. */
  staggerMs: number;
  seed: number;
}

/** The answer to `--solve`, for one agent. */
export interface PlanAnswer {
  agent: string;
  /** In ms for interval and outage; null when nothing within the range keeps the limits. */
  value: number | null;
  /** Which limit the next value breaks; null when none does up to the end of the range. */
  binds: string | null;
  /** How near the end of the range comes to the limits, where none binds; null where one does. */
  reached: PlanReached[] | null;
}

/** What the figure of a limit is at the boldest value of the range. */
export interface PlanReached {
  limit: string;
  of: 'pollers' | 'connections/s' | 'share of the ports' | 'cores';
  value: number;
  /** The limit of the guest that keeps it there, from {@link PlanAgent.limits}; null where it is none. */
  heldBy: string | null;
}

export interface PlanSolution {
  solve: 'interval' | 'outage' | 'sandboxes-per-host';
  limits: string[];
  range: [number, number];
  answers: PlanAnswer[];
}

export interface Plan {
  schema: typeof PLAN_SCHEMA;
  tool: { version: string };
  input: PlanInput;
  calibration: Calibration | null;
  agents: PlanAgent[];
  /** With `--solve`: `agents` are then those that a limit binds, each at its own value. */
  solution: PlanSolution | null;
}

/** One figure of a lane, predicted and measured. */
export interface PlanComparison {
  figure: string;
  measured: number | null;
  predicted: number | null;
  /** Between what the model knows it to be, where chance decides; else null. */
  range: [number, number] | null;
  /** (predicted - measured) / measured; null where one is missing or 0. */
  error: number | null;
  /** The error that is allowed. */
  tolerance: number;
  /** `no verdict`: chance decides it, as who closes first under `hijack`. */
  verdict: 'pass' | 'fail' | 'no data' | 'no verdict';
}

export interface PlanCheckLane {
  result: string;
  fault: string;
  agent: string;
  comparisons: PlanComparison[];
  /** Mean distance of the two series, as a share of the larger peak; null without samples. */
  series: {
    pollers: number | null;
    connectionsPerSecond: number | null;
    portsInUse: number | null;
  };
  /** Why it could not be compared; null when it was. */
  skipped: string | null;
}

export interface PlanCheck {
  schema: 'envd-bench/plan-check/v1';
  tool: { version: string };
  calibration: Calibration | null;
  lanes: PlanCheckLane[];
}
