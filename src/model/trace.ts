import { type Agenda, Rank } from './agenda.js';
import { wholeNs } from './conduct.js';

/** As often as a lane is sampled, ms. */
export const SAMPLE_MS = 100;
const SAMPLE = wholeNs(SAMPLE_MS);
const SECOND = wholeNs(1000);

/** What is read of the model at an instant. */
export interface TraceReading {
  /** All attempts made so far. */
  attempts: number;
  pollers: number;
  /** The most at once since the reading before. */
  pollersMost: number;
  portsInUse: number;
  timeWait: number;
}

/** The course of the figures, as a result has it. */
export interface TraceSeries {
  tMs: number[];
  pollers: number[];
  /** The most at once since the sample before: some live shorter than that. */
  pollersMost: number[];
  connectionsPerSecond: number[];
  portsInUse: number[];
  timeWait: number[];
}

/** Reads the model at 10 Hz, and the rate over the second before, as a lane's sampler does. */
export class Trace {
  total = 0;
  perSecondPeak = 0;
  perSecondPeakAtMs = 0;
  readonly series: TraceSeries = {
    tMs: [],
    pollers: [],
    pollersMost: [],
    connectionsPerSecond: [],
    portsInUse: [],
    timeWait: [],
  };
  readonly #attempts: number[] = [];
  /** The last reading that is at least a second old. */
  #windowFrom = 0;

  constructor(
    private readonly agenda: Agenda,
    private readonly read: () => TraceReading,
  ) {}

  start(): void {
    this.#take();
    this.agenda.after(SAMPLE, Rank.sample, () => this.start());
  }

  /** Takes the last reading. */
  finish(): void {
    if (this.series.tMs.at(-1) !== this.agenda.now / 1e6) this.#take();
  }

  #take(): void {
    const { series } = this;
    const { attempts, pollers, pollersMost, portsInUse, timeWait } = this.read();
    const now = this.agenda.now;
    series.tMs.push(now / 1e6);
    this.#attempts.push(attempts);
    while (wholeNs(series.tMs[this.#windowFrom + 1] ?? 0) <= now - SECOND) this.#windowFrom++;
    const from = wholeNs(series.tMs[this.#windowFrom] ?? 0);
    const made = attempts - (this.#attempts[this.#windowFrom] ?? 0);
    const perSecond = (made * SECOND) / Math.max(now - from, SECOND);
    series.pollers.push(pollers);
    series.pollersMost.push(pollersMost);
    series.connectionsPerSecond.push(perSecond);
    series.portsInUse.push(portsInUse);
    series.timeWait.push(timeWait);
    this.total = attempts;
    if (perSecond > this.perSecondPeak) {
      this.perSecondPeak = perSecond;
      this.perSecondPeakAtMs = now / 1e6;
    }
  }
}
