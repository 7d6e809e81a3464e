import { dirname } from 'node:path';
import { hashAccessToken } from '../agents/access-token.js';
import { monotonicMs, sleepUntil } from '../base/clock.js';
import { deferred } from '../base/deferred.js';
import { messageOf } from '../base/errors.js';
import { treeOf } from '../observe/proc/process.js';
import type { Reading } from '../observe/reading.js';
import { StopWatch, type Watched } from '../observe/stop-watch.js';
import type { DriverReport } from '../orchestrator/driver.js';
import type { Sample } from '../results/thin.js';
import { ACCESS_TOKEN, agentCommand } from './agent-command.js';
import { howEnded, momentOf, STOPPED } from './death.js';
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

/**
 * How long each of the last questions may take when the outage ended early, ms: an interrupt, or the
 * death of a part, is to be over within five seconds.
 */
const EARLY_WITHIN_MS = 1_000;

/** How long what an agent said may stay untold after its end, ms. */
const TOLD_WITHIN_MS = 100;

/** How long a death may stay untold after the error that it causes in set-up, ms. */
const CAUSE_TOLD_WITHIN_MS = 500;

/** One agent under test with its own network, MMDS, driver, probes and sampler. */
export class Lane {
  private readonly stopping = new AbortController();
  /** Settles when the lane ends before its time. */
  private readonly early = new Promise<void>((resolve) => {
    this.stopping.signal.addEventListener('abort', () => resolve());
  });
  private startMs: number | undefined;
  private setupMs: number | null = null;
  private trouble: string | null = null;
  /** Rejects with the first trouble. */
  private readonly failed = deferred<never>();
  /** Settles when a trouble has been told in full. */
  private told: Promise<unknown> = Promise.resolve();
  private isOver = false;
  private stoppedPart: string | undefined;
  private readonly stopWatch: StopWatch;
  /** A set: the processes of a part stand still together. */
  private readonly noted = new Set<string>();
  private sampler: Sampler | undefined;
  private headroom: LaneOutcome['headroom'] = null;
  private network: LaneNetwork | undefined;
  private mmds: MmdsPart | undefined;
  private agent: AgentPart | undefined;
  private driver: DriverPart | undefined;

  constructor(
    private readonly spec: LaneSpec,
    private readonly onSample: (sample: Sample) => void,
  ) {
    // It is awaited in set-up alone; later the outcome says it.
    this.failed.promise.catch(() => {});
    this.stopWatch = new StopWatch(() => this.processes(), {
      onStopped: (part, sinceMs) => {
        this.stoppedPart = part;
        this.fail(part, STOPPED, sinceMs);
      },
      onResumed: (part, sinceMs, forMs) =>
        this.noted.add(
          `${this.nameOf(part)} ${STOPPED} ${this.moment(sinceMs)}, for about ` +
            `${(forMs / 1e3).toFixed(1)} s`,
        ),
    });
  }

  /**
   * Builds the network and starts all parts.
   * @throws Error when one cannot be had, with the name of what died or stood still
   */
  async setUp(): Promise<void> {
    try {
      await Promise.race([this.build(), this.failed.promise]);
    } catch (thrown) {
      await Promise.race([this.failed.promise, sleepUntil(monotonicMs() + CAUSE_TOLD_WITHIN_MS)]);
      throw thrown;
    }
  }

  /** What a reader of the figures must know, in whole sentences. */
  get notes(): string[] {
    return [
      ...this.noted,
      ...(this.sampler?.recorder.gaps.map((gap) => `lane ${this.spec.agent.name}: ${gap}`) ?? []),
    ];
  }

  private async build(): Promise<void> {
    const { spec } = this;
    const before = monotonicMs();
    const network = await this.buildNetwork();
    const [first] = spec.faults;
    if (!first) throw new Error('a lane without a fault');
    this.network = network;
    const confineTo =
      spec.agent.kind === 'external' ? dirname(spec.agent.command[0] ?? '/') : undefined;
    const process = await network.startAgent(agentCommand(spec, network), confineTo);
    const agent = new AgentPart(spec.agent, process, (how) => this.onAgentEnd(how));
    this.agent = agent;
    this.setupMs = monotonicMs() - before;
    this.mmds = MmdsPart.launch((how) => this.fail('MMDS', how));
    await this.mmds.begin(network, spec, METADATA, first.fault);
    try {
      await untilHealthy(network.agent, () => agent.died !== undefined);
    } catch (thrown) {
      if (agent.died) await this.failed.promise;
      const words = agent.lastWords();
      const reason = messageOf(thrown);
      throw new Error(`agent ${spec.agent.name}: ${reason}${words ? `; it said: ${words}` : ''}`);
    }
    this.driver = new DriverPart(
      {
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
      },
      (how) => this.fail('the driver', how),
    );
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
   * @throws Error when there are none, with the name of what died
   */
  async run(startMs: number): Promise<LaneOutcome> {
    try {
      return await this.hold(startMs);
    } catch (thrown) {
      await this.told;
      throw this.trouble === null ? thrown : new Error(this.trouble);
    }
  }

  private async hold(startMs: number): Promise<LaneOutcome> {
    const { network, agent, driver, mmds, spec } = this;
    if (!network || !agent || !driver || !mmds) throw new Error('the lane is not set up');
    this.startMs = startMs;
    const sampler = new Sampler(spec, agent, driver, startMs, this.onSample);
    this.sampler = sampler;
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
    this.stopWatch.giveUpStanding();
    this.isOver = !this.wasStopped;
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
    const answers = !this.stoppedPart?.endsWith('the agent') && agent.died === undefined;
    const stopped = isOurs && answers ? agent.stopPolling() : undefined;
    const settled = Promise.all([report, others]).then(() => {});
    // It is awaited only in its turn; a failure before that is no unhandled one.
    settled.catch(() => {});
    await this.within(stopped ?? settled, isOurs ? LAST_COUNTERS_WITHIN_MS : SETTLED_WITHIN_MS);
    // At once: a request to MMDS that an /init under way still makes is none of the outage. With its
    // first process the agent's side, and all counters with it, is gone: the last ones read hold.
    const reading = isOurs ? readingOr(agent.process.reader(), whenOver) : whenOver;
    if (isOurs && !agent.hasFinalCounters) {
      this.fail(
        'the agent',
        agent.exit ? howEnded(agent.exit) : 'did not stop polling when asked to',
      );
    }
    const knowsItself = answers && (!isOurs || agent.hasFinalCounters);
    const identity = knowsItself ? await this.within(askIdentity(), DUMPED_WITHIN_MS) : null;
    if (!isOurs && answers) await this.within(agent.stopPolling(), DUMPED_WITHIN_MS);
    // After an early end a change of fault that MMDS does not answer is waited for by nobody.
    await Promise.race([settled, this.early]);
    this.stopWatch.end();
    await this.told;
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

  /** Whether the outage went on to its end without trouble, whatever became of the last questions. */
  get wasWhole(): boolean {
    return this.isOver && this.trouble === null;
  }

  /** Ends all parts; what they made of the network goes with them. */
  async tearDown(): Promise<void> {
    this.stopWatch.end();
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
      this.fail('the load on /health', `failed (${messageOf(thrown)})`);
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
      this.fail('MMDS', `did not take the fault ${fault?.name} (${messageOf(thrown)})`);
    }
  }

  private async reportOf(driver: DriverPart): Promise<DriverReport> {
    // Every request ends within its own timeout; after an early end nobody waits for that.
    await Promise.race([driver.finished, this.early]);
    return driver.close();
  }

  /** What a promise gives, or null when it takes longer, or much longer than an early end. */
  private async within<T>(promise: Promise<T>, ms: number): Promise<T | null> {
    const answered = new AbortController();
    const dueMs = monotonicMs() + ms;
    const late = async (): Promise<null> => {
      await sleepUntil(dueMs, AbortSignal.any([this.stopping.signal, answered.signal]));
      await sleepUntil(Math.min(dueMs, monotonicMs() + EARLY_WITHIN_MS), answered.signal);
      return null;
    };
    const first = await Promise.race([promise, late()]);
    answered.abort();
    return first;
  }

  /** The processes without which the lane measures nothing, or something else. */
  private processes(): Watched[] {
    const agentPid = this.agent?.process.pid();
    const mmdsPid = this.mmds?.pid;
    const side = this.network?.side().filter((pid) => pid !== agentPid) ?? [];
    return [
      { name: 'the agent', pids: agentPid === undefined ? [] : [agentPid] },
      // What was started may be a wrapper only.
      { name: 'a process of the agent', pids: treeOf(agentPid).slice(1) },
      { name: 'MMDS', pids: mmdsPid === undefined ? [] : [mmdsPid] },
      { name: 'the agent side', pids: side },
    ];
  }

  private nameOf(part: string): string {
    return `${part} of lane ${this.spec.agent.name}`;
  }

  private moment(atMs: number): string {
    return momentOf(atMs, this.startMs, this.spec.outageMs);
  }

  /** What the agent said is told after its end was. */
  private onAgentEnd(how: string): void {
    const wordsOf = (): string => {
      const words = this.agent?.lastWords();
      return words ? `; it said: ${words}` : '';
    };
    this.fail('the agent', how, monotonicMs(), wordsOf);
  }

  /**
   * The first thing that goes wrong is the lane's trouble, and ends its outage. What dies after the
   * outage spoils nothing any more, as long as all could be asked.
   * @param how in words that follow the name of the part
   * @param wordsOf what it said before, asked when there was time to hear it
   */
  private fail(part: string, how: string, atMs = monotonicMs(), wordsOf = () => ''): void {
    if (this.trouble !== null || (this.isOver && part === 'MMDS')) return;
    const cause = `${this.nameOf(part)} ${how} ${this.moment(atMs)}`;
    this.trouble = cause;
    this.stopping.abort();
    this.told = sleepUntil(monotonicMs() + TOLD_WITHIN_MS).then(() => {
      this.trouble = cause + wordsOf();
      this.failed.reject(new Error(this.trouble));
    });
  }
}

/** The first reading, or where its namespace is gone the second. */
function readingOr(reading: Reading, before: Reading): Reading {
  return reading.portsInUse === null ? before : reading;
}
