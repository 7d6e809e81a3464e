import { hashAccessToken } from '../agents/access-token.js';
import { monotonicMs, sleepUntil } from '../base/clock.js';
import type { DriverReport } from '../orchestrator/driver.js';
import type { Sample } from '../results/thin.js';
import { ACCESS_TOKEN, referenceAgentCommand } from './agent-command.js';
import type { LaneOutcome } from './messages.js';
import { loopbackNetwork } from './network/loopback.js';
import { netnsNetwork } from './network/netns.js';
import type { LaneNetwork } from './network/network.js';
import { laneOutcome } from './outcome.js';
import { AgentPart } from './parts/agent-part.js';
import { DriverPart } from './parts/driver-part.js';
import { MmdsPart } from './parts/mmds-part.js';
import { untilHealthy } from './ready.js';
import { Sampler } from './sampler.js';
import type { LaneSpec } from './spec.js';

/** What MMDS serves to a lane's agent, when it serves. */
export const METADATA = {
  instanceID: 'isandbox-of-this-lane',
  envID: 'template-of-this-lane',
  address: '',
  accessTokenHash: hashAccessToken(ACCESS_TOKEN),
};

/** `/health` is probed ten times a second; an answer later than 5 s is no answer. */
const HEALTH = { healthEveryMs: 100, healthTimeoutMs: 5_000 };

/** How long an agent may take to count what it cancelled, ms. */
const LAST_COUNTERS_WITHIN_MS = 5_000;

/** One agent under test with its own network, MMDS, driver, probes and sampler. */
export class Lane {
  private readonly stopping = new AbortController();
  private setupMs: number | null = null;
  private trouble: string | null = null;
  private mmds: MmdsPart | undefined;
  private agent: AgentPart | undefined;
  private driver: DriverPart | undefined;

  constructor(
    private readonly spec: LaneSpec,
    private readonly onSample: (sample: Sample) => void,
  ) {}

  /** Builds the network and starts all parts. @throws Error when one cannot be had */
  async setUp(): Promise<void> {
    const { spec } = this;
    const before = monotonicMs();
    const network = await this.network();
    const [first] = spec.faults;
    if (!first) throw new Error('a lane without a fault');
    const command = referenceAgentCommand(spec, network);
    const agent = new AgentPart(await network.startAgent(command), () => this.onDeath());
    this.agent = agent;
    this.setupMs = monotonicMs() - before;
    this.mmds = await MmdsPart.start(network, spec, METADATA, first.fault, () =>
      this.fail('MMDS ended unexpectedly'),
    );
    try {
      await untilHealthy(network.agent, () => agent.died !== undefined);
    } catch (thrown) {
      const words = agent.lastWords();
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      throw new Error(`agent ${spec.agent.name}: ${reason}${words ? `; it said: ${words}` : ''}`);
    }
    this.driver = new DriverPart({
      ...network.agent,
      ...HEALTH,
      policyName: spec.retry,
      times: {
        intervalMs: spec.intervalMs,
        outageMs: spec.outageMs,
        retryPauseMs: spec.retryPauseMs,
        retryBudgetMs: spec.retryBudgetMs,
      },
      initTimeoutMs: spec.initTimeoutMs,
      accessToken: ACCESS_TOKEN,
    });
    await this.driver.ready;
  }

  /**
   * Holds the outage and takes the figures.
   * @param startMs when the first `/init` is due, on {@link monotonicMs}
   */
  async run(startMs: number): Promise<LaneOutcome> {
    const { agent, driver, mmds, spec } = this;
    if (!agent || !driver || !mmds) throw new Error('the lane is not set up');
    const sampler = new Sampler(agent, driver, startMs, spec.demandPerPoller, this.onSample);
    const { signal } = this.stopping;
    await sleepUntil(startMs, signal);
    sampler.start();
    driver.run(startMs);
    const changes = this.changeFaults(mmds, startMs);
    await sleepUntil(startMs + spec.outageMs, signal);
    // The outage is over: the polling ends at once, while requests under way are still answered.
    sampler.stop();
    sampler.take();
    driver.stop();
    sampler.readUse();
    agent.terminate();
    const [report] = await Promise.all([
      this.reportOf(driver),
      within(agent.finalCounters, LAST_COUNTERS_WITHIN_MS),
      changes,
    ]);
    return laneOutcome({
      spec,
      report,
      sampler,
      agent,
      reading: agent.process.reader(),
      trouble: this.trouble,
      setupMs: this.setupMs,
    });
  }

  /** Ends the outage now. */
  stop(): void {
    this.stopping.abort();
  }

  get wasStopped(): boolean {
    return this.stopping.signal.aborted;
  }

  /** Ends all parts; what they made of the network goes with them. */
  async tearDown(): Promise<void> {
    this.mmds?.destroy();
    await this.agent?.destroy();
  }

  private network(): Promise<LaneNetwork> {
    const { isolation, guest } = this.spec;
    return isolation === 'netns' ? netnsNetwork(guest) : loopbackNetwork();
  }

  private async changeFaults(mmds: MmdsPart, startMs: number): Promise<void> {
    for (const { atMs, fault } of this.spec.faults.slice(1)) {
      await sleepUntil(startMs + atMs, this.stopping.signal);
      if (this.stopping.signal.aborted) return;
      try {
        await mmds.setFault(fault);
      } catch (thrown) {
        this.fail(thrown instanceof Error ? thrown.message : String(thrown));
      }
    }
  }

  private async reportOf(driver: DriverPart): Promise<DriverReport> {
    // Every request ends within its own timeout; after an early end nobody waits for that.
    if (!this.wasStopped) await driver.finished;
    return driver.close();
  }

  private onDeath(): void {
    const exit = this.agent?.died;
    const words = this.agent?.lastWords();
    const how = exit?.code === null ? `ended by ${exit.signal}` : `exited ${exit?.code}`;
    this.fail(`agent ${how}${words ? `; it said: ${words}` : ''}`);
  }

  private fail(trouble: string): void {
    this.trouble ??= trouble;
    this.stopping.abort();
  }
}

async function within(promise: Promise<void>, ms: number): Promise<void> {
  const patience = new AbortController();
  await Promise.race([promise, sleepUntil(monotonicMs() + ms, patience.signal)]);
  patience.abort();
}
