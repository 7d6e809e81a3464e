import { dirname } from 'node:path';
import { hashAccessToken } from '../agents/access-token.js';
import { monotonicMs, sleepUntil } from '../base/clock.js';
import { messageOf } from '../base/errors.js';
import type { DriverReport } from '../orchestrator/driver.js';
import type { Sample } from '../results/thin.js';
import { ACCESS_TOKEN, agentCommand } from './agent-command.js';
import { identityOf } from './identity.js';
import type { LaneOutcome } from './messages.js';
import { loopbackNetwork } from './network/loopback.js';
import { netnsNetwork } from './network/netns.js';
import type { LaneNetwork } from './network/network.js';
import { laneOutcome } from './outcome.js';
import { AgentPart } from './parts/agent-part.js';
import { DriverPart } from './parts/driver-part.js';
import { measureHeadroom } from './parts/headroom-part.js';
import { MmdsPart } from './parts/mmds-part.js';
import { untilHealthy } from './ready.js';
import { Sampler } from './sampler.js';
import type { LaneSpec } from './spec.js';

type Fault = LaneSpec['faults'][number]['fault'];

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

/** The load on `/health` begins with a second that does not count (headroom-worker.ts). */
const WARM_UP_SECONDS = 1;
/** Before the storm there is time to load it until it is fast. */
const LONGEST_WARM_UP_SECONDS = 5;

/** How long an external agent's requests under way may delay its stack dump, ms. */
const SETTLED_WITHIN_MS = 1_000;

/** How long the dump may take: it may be hundreds of megabytes. */
const DUMPED_WITHIN_MS = 60_000;

/** One agent under test with its own network, MMDS, driver, probes and sampler. */
export class Lane {
  private readonly stopping = new AbortController();
  private startMs: number | undefined;
  private setupMs: number | null = null;
  private trouble: string | null = null;
  private headroom: LaneOutcome['headroom'] = null;
  private network: LaneNetwork | undefined;
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
    const network = await this.buildNetwork();
    const [first] = spec.faults;
    if (!first) throw new Error('a lane without a fault');
    this.network = network;
    const confineTo =
      spec.agent.kind === 'external' ? dirname(spec.agent.command[0] ?? '/') : undefined;
    const process = await network.startAgent(agentCommand(spec, network), confineTo);
    const agent = new AgentPart(spec.agent, process, () => this.onDeath());
    this.agent = agent;
    this.setupMs = monotonicMs() - before;
    this.mmds = await MmdsPart.start(network, spec, METADATA, first.fault, () =>
      this.fail('MMDS ended unexpectedly'),
    );
    try {
      await untilHealthy(network.agent, () => agent.died !== undefined);
    } catch (thrown) {
      const words = agent.lastWords();
      const reason = messageOf(thrown);
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
    await this.mmds.tellLoop();
    if (spec.headroom) {
      this.headroom = {
        beforePerSecond: await measureHeadroom(
          network.agent,
          this.headroomSeconds(),
          LONGEST_WARM_UP_SECONDS,
        ),
        duringPerSecond: null,
      };
    }
  }

  /**
   * Holds the outage and takes the figures.
   * @param startMs when the first `/init` is due, on {@link monotonicMs}
   */
  async run(startMs: number): Promise<LaneOutcome> {
    const { network, agent, driver, mmds, spec } = this;
    if (!network || !agent || !driver || !mmds) throw new Error('the lane is not set up');
    this.startMs = startMs;
    const sampler = new Sampler(spec, agent, driver, startMs, this.onSample);
    const loops = [agent.loop, driver.loop, mmds.loop];
    for (const loop of loops) loop.begin(startMs);
    const { signal } = this.stopping;
    await sleepUntil(startMs, signal);
    sampler.start();
    driver.run(startMs);
    // Set-up takes its time: a fault with phases of its own begins with the outage.
    const first = this.apply(mmds, spec.faults[0]?.fault);
    const changes = Promise.all([first, this.changeFaults(mmds, startMs)]);
    const loaded = this.loadAtPeak(network, startMs + spec.outageMs);
    await sleepUntil(startMs + spec.outageMs, signal);
    sampler.stop();
    sampler.take();
    for (const loop of loops) loop.end(monotonicMs());
    driver.stop();
    sampler.readUse();
    return this.conclude(network, agent, driver, mmds, sampler, Promise.all([changes, loaded]));
  }

  /**
   * The outage is over. A reference agent stops polling at once and counts what it cancelled: read
   * after that, the kernel has the same number of attempts as the agent. An external one is read as
   * it is, and asked for its stacks as soon as nothing is under way.
   */
  private async conclude(
    network: LaneNetwork,
    agent: AgentPart,
    driver: DriverPart,
    mmds: MmdsPart,
    sampler: Sampler,
    others: Promise<unknown>,
  ): Promise<LaneOutcome> {
    const { spec } = this;
    const isOurs = spec.agent.kind === 'reference';
    const askIdentity = () =>
      identityOf(network.agent, agent.process, ACCESS_TOKEN, METADATA).catch(() => null);
    const whenOver = sampler.reading ?? agent.process.reader();
    const report = this.reportOf(driver);
    const stopped = isOurs ? agent.stopPolling() : undefined;
    const settled = Promise.all([report, others]).then(() => {});
    await within(stopped ?? settled, isOurs ? LAST_COUNTERS_WITHIN_MS : SETTLED_WITHIN_MS);
    // At once: a request to MMDS that an /init under way still makes is none of the outage.
    const reading = isOurs ? agent.process.reader() : whenOver;
    if (isOurs && !agent.hasFinalCounters)
      this.fail('the agent did not stop polling when asked to');
    const identity = agent.died ? null : await askIdentity();
    if (!isOurs) await within(agent.stopPolling(), DUMPED_WITHIN_MS);
    await settled;
    return laneOutcome({
      spec,
      report: await report,
      sampler,
      agent,
      driver,
      mmds,
      reading,
      identity,
      headroom: this.headroom,
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

  private buildNetwork(): Promise<LaneNetwork> {
    const { isolation, guest } = this.spec;
    return isolation === 'netns' ? netnsNetwork(guest) : loopbackNetwork();
  }

  /** Loads `/health` in the last seconds of the outage, when pollers are the most. */
  private async loadAtPeak(network: LaneNetwork, endMs: number): Promise<void> {
    if (!this.headroom) return;
    const seconds = this.headroomSeconds();
    await sleepUntil(endMs - (WARM_UP_SECONDS + seconds) * 1e3, this.stopping.signal);
    if (this.stopping.signal.aborted) return;
    try {
      this.headroom.duringPerSecond = await measureHeadroom(
        network.agent,
        seconds,
        WARM_UP_SECONDS,
      );
    } catch (thrown) {
      this.fail(messageOf(thrown));
    }
  }

  /** Three seconds, or a quarter of a short outage; whole ones, as autocannon counts them. */
  private headroomSeconds(): number {
    return Math.max(1, Math.min(3, Math.floor(this.spec.outageMs / 4e3)));
  }

  private async changeFaults(mmds: MmdsPart, startMs: number): Promise<void> {
    for (const { atMs, fault } of this.spec.faults.slice(1)) {
      if (atMs >= this.spec.outageMs) return;
      await sleepUntil(startMs + atMs, this.stopping.signal);
      if (this.stopping.signal.aborted) return;
      await this.apply(mmds, fault);
    }
  }

  private async apply(mmds: MmdsPart, fault: Fault | undefined): Promise<void> {
    try {
      if (fault) await mmds.setFault(fault);
    } catch (thrown) {
      this.fail(messageOf(thrown));
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
    const when = this.startMs === undefined ? '' : ` after ${secondsSince(this.startMs)} s`;
    this.fail(`agent ${how}${when}${words ? `; it said: ${words}` : ''}`);
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

function secondsSince(startMs: number): string {
  return (Math.max(0, monotonicMs() - startMs) / 1e3).toFixed(1);
}
