import { monotonicMs } from '../base/clock.js';
import { estimatePollers, type PollerSign } from '../observe/poller-estimate.js';
import { PortWatch } from '../observe/port-watch.js';
import { type ProcessUse, useOfTree } from '../observe/proc/process.js';
import { ProcessorMeter } from '../observe/processor-meter.js';
import { RATE_WINDOW_MS, RateMeter } from '../observe/rate.js';
import type { Reading } from '../observe/reading.js';
import { type Sample, SeriesRecorder } from '../results/thin.js';
import { guestCpus } from './agent-command.js';
import type { AgentPart } from './parts/agent-part.js';
import type { DriverPart } from './parts/driver-part.js';
import type { LaneSpec } from './spec.js';
import { UsageRecorder } from './usage.js';

/** Ten readings a second. */
const EVERY_MS = 100;

/** Process use is read at every tenth sample: walking a process tree costs more than the rest. */
const USE_EVERY = 10;

/** Reads all counters of a lane at 10 Hz, and keeps the series and the peaks. */
export class Sampler {
  readonly recorder = new SeriesRecorder();
  readonly ports: PortWatch;
  readonly rate = new RateMeter();
  /** The latest reading of the kernel's counters. */
  reading: Reading | undefined;
  use: ProcessUse | undefined;
  readonly usage = new UsageRecorder();
  readonly processors: ProcessorMeter;
  rssPeakBytes: number | null = null;
  threadsPeak: number | null = null;
  openFilesPeak: number | null = null;
  /** The most pollers seen in a sample; for an external agent an estimate. */
  pollersPeak: number | null = null;
  /** When it was last so many, ms. */
  pollersPeakAtMs: number | null = null;
  /** When the last sample was taken, ms. */
  lastMs = 0;
  /** As the last sample had it. */
  pollersLast: number | null = null;
  private readonly cpuRate = new RateMeter();
  private hasKernel = false;
  private lastRate: { atMs: number; perSecond: number } | undefined;
  private timer: NodeJS.Timeout | undefined;
  private taken = 0;

  /**
   * @param startMs when the lane's own time begins, on {@link monotonicMs}
   */
  constructor(
    private readonly spec: Pick<LaneSpec, 'faults' | 'auth'> & {
      agent: Pick<LaneSpec['agent'], 'kind'>;
      guest: Pick<LaneSpec['guest'], 'cpus'>;
    },
    private readonly agent: AgentPart,
    private readonly driver: Pick<DriverPart, 'takeLatency'>,
    private readonly startMs: number,
    private readonly onSample: (sample: Sample) => void,
  ) {
    this.ports = new PortWatch(agent.process.limits.ports);
    this.processors = new ProcessorMeter(guestCpus(spec.guest.cpus));
  }

  start(): void {
    this.take();
    const dueMs = this.startMs + this.taken * EVERY_MS;
    this.timer = setTimeout(() => this.start(), Math.max(1, dueMs - monotonicMs()));
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  /** Takes one sample now. */
  take(): void {
    const tMs = Math.max(0, monotonicMs() - this.startMs);
    const reading = this.agent.process.reader();
    const counters = this.agent.freshCounters;
    if (this.taken++ % USE_EVERY === 0) {
      this.readUse(tMs);
      this.processors.look();
    }
    if (this.agent.died) return;
    // The agent's side may be gone, and the agent's end not be told yet.
    if (this.reading && reading.portsInUse === null) return;
    this.reading = reading;
    const connectionsPerSecond = this.takeRate(reading);
    const fault = this.spec.faults.findLast(({ atMs }) => atMs <= tMs);
    const pollers =
      this.spec.agent.kind === 'reference'
        ? (counters?.pollersRunning ?? null)
        : estimatePollers(signAt(this.spec, tMs), outstanding(reading), connectionsPerSecond);
    this.pollersLast = pollers;
    this.lastMs = tMs;
    if (pollers !== null && pollers >= (this.pollersPeak ?? 0)) {
      this.pollersPeak = pollers;
      this.pollersPeakAtMs = tMs;
    }
    const sample: Sample = {
      tMs,
      pollers,
      connectionsPerSecond,
      portsInUse: reading.portsInUse,
      timeWait: reading.timeWait,
      ...this.driver.takeLatency(),
    };
    this.ports.push({
      ...sample,
      localFailures: counters?.localFailures ?? null,
      demandPerPoller: fault?.demandPerPoller ?? null,
    });
    this.recorder.add(sample);
    this.onSample(sample);
  }

  /** The most processors that the agent's process tree used over a second; null if never read. */
  get cpusPeak(): number | null {
    return this.cpuRate.peak;
  }

  /** Attempts/s, each counter with the time at which it was read, or at which the agent read it. */
  private takeRate({ activeOpens, atMs }: Reading): number | null {
    // Two counts of the same are not of the same instant: one that was the kernel's stays it.
    if (activeOpens !== null) this.hasKernel = true;
    else if (this.hasKernel) return null;
    const [count, countedAtMs] =
      activeOpens === null
        ? [this.agent.freshCounters?.attempts ?? null, this.agent.countedAtMs]
        : [activeOpens, atMs];
    if (count === null || countedAtMs === null) return null;
    // An agent that has told nothing new since is no agent that does nothing.
    if (countedAtMs !== this.lastRate?.atMs) {
      const perSecond = this.rate.push(countedAtMs - this.startMs, count);
      this.lastRate = { atMs: countedAtMs, perSecond };
    }
    return this.lastRate?.perSecond ?? null;
  }

  /** What the agent's process tree has used so far. */
  readUse(tMs = Math.max(0, monotonicMs() - this.startMs)): void {
    const pid = this.agent.process.pid();
    const use = pid === undefined ? undefined : useOfTree(pid);
    if (!use) return;
    this.use = use;
    this.usage.push(tMs, use);
    this.cpuRate.push(tMs, use.cpuSeconds);
    this.rssPeakBytes = Math.max(this.rssPeakBytes ?? 0, use.rssBytes);
    this.threadsPeak = Math.max(this.threadsPeak ?? 0, use.threads);
    if (use.openFiles !== null) {
      this.openFilesPeak = Math.max(this.openFilesPeak ?? 0, use.openFiles);
    }
  }
}

/** Attempts under way: ports in TIME_WAIT are held by attempts that are over. */
function outstanding({ portsInUse, timeWait }: Reading): number | null {
  return portsInUse === null ? null : Math.max(0, portsInUse - (timeWait ?? 0));
}

/**
 * What tells of pollers at a moment. A rate is that of the last second: for so long after a change of
 * fault it is of both; and where `/init` itself asks MMDS, it is not of the pollers alone.
 */
export function signAt(
  { faults, auth }: Pick<LaneSpec, 'faults' | 'auth'>,
  tMs: number,
): PollerSign {
  const fault = faults.findLast(({ atMs }) => atMs <= tMs);
  if (!fault || auth === 'mmds') return { kind: 'none' };
  const isMixed = fault.atMs > 0 && tMs < fault.atMs + RATE_WINDOW_MS;
  return fault.sign.kind === 'rate' && isMixed ? { kind: 'none' } : fault.sign;
}
