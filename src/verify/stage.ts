import { dirname } from 'node:path';
import { monotonicMs, sleepUntil } from '../base/clock.js';
import { formatDuration } from '../base/duration.js';
import { messageOf } from '../base/errors.js';
import { ACCESS_TOKEN, agentCommand } from '../lane/agent-command.js';
import { type Exit, howEnded } from '../lane/death.js';
import { loopbackNetwork } from '../lane/network/loopback.js';
import { netnsNetwork } from '../lane/network/netns.js';
import type { AgentProcess, LaneNetwork } from '../lane/network/network.js';
import { AgentPart } from '../lane/parts/agent-part.js';
import { DriverPart } from '../lane/parts/driver-part.js';
import { MmdsPart } from '../lane/parts/mmds-part.js';
import { untilHealthy } from '../lane/ready.js';
import type { LaneSpec } from '../lane/spec.js';
import type { DriverReport } from '../orchestrator/driver.js';
import { AgentApi, type ApiAnswer } from './agent-api.js';
import { AgentDied, Failure } from './errors.js';
import { type Identity, identity, identityIn, inWords, metadataOf } from './identity.js';
import { MmdsWatch } from './mmds-watch.js';
import { Timeline } from './timeline.js';
import { quietMs, type Times, timesOf } from './times.js';

/** How often a condition is looked at, ms. */
const LOOK_EVERY_MS = 10;

/** How long the end of a process may stay untold, ms. */
const DEATH_TOLD_WITHIN_MS = 1_000;

/** What a stage is built from. */
export interface StageSpec {
  agent: LaneSpec['agent'];
  isolation: LaneSpec['isolation'];
  /** The version to differ from; null when no base agent was given. */
  baseVersion: string | null;
}

/**
 * A live agent with an MMDS and a network of its own, that a scenario plays on: it sends `/init` by
 * hand, changes fault and metadata, stops the agent and lets it go on, and sees what comes of it.
 * All that it judges by is seen from outside, so that a program is tested like a built-in agent.
 */
export class Stage {
  readonly times: Times;
  readonly timeline: Timeline;
  readonly watch: MmdsWatch;
  /** `X-Envd-Version` as last answered to an `/init`. */
  version: string | null = null;
  private served = 0;
  private lastIdentity = '';

  private constructor(
    readonly spec: StageSpec,
    private readonly network: LaneNetwork,
    private readonly agent: AgentPart,
    private readonly mmds: MmdsPart,
    readonly api: AgentApi,
  ) {
    this.times = timesOf(spec.agent);
    this.timeline = new Timeline(monotonicMs());
    this.watch = new MmdsWatch(this.timeline);
  }

  /**
   * Builds the network and starts MMDS and the agent.
   * @param firstFault what holds at the start
   * @throws Error when one of them cannot be had
   */
  static async build(spec: StageSpec, firstFault: string): Promise<Stage> {
    const network =
      spec.isolation === 'netns'
        ? await netnsNetwork({ timeWaitLimit: null, portRange: null })
        : await loopbackNetwork();
    const { agent: choice } = spec;
    const command = agentCommand(
      {
        agent: choice,
        poller: 'envd',
        auth: 'stored',
        bootPoller: false,
        guest: { cpus: null },
        times: timesOf(choice),
      },
      network,
    );
    const confineTo = choice.kind === 'external' ? dirname(choice.command[0] ?? '/') : undefined;
    const process = await network.startAgent(command, confineTo);
    const agent = new AgentPart(choice, process, () => {});
    let mmds: MmdsPart | undefined;
    try {
      mmds = MmdsPart.launch(() => {});
      await mmds.begin(network, { mmdsVersion: 'V2', mmdsClose: 'auto' }, metadataOf(identity(0)), {
        name: firstFault,
        parameters: {},
      });
      const api = new AgentApi(network.agent);
      const stage = new Stage(spec, network, agent, mmds, api);
      await mmds.watch((events) => stage.watch.take(events));
      await untilHealthy(network.agent, () => agent.died !== undefined);
      stage.step(`the agent is ready; MMDS: ${firstFault}, with ${inWords(identity(0))}`);
      return stage;
    } catch (thrown) {
      // Asked before it is torn down, which leaves words of its own.
      const reason = agent.died
        ? endOf(agent, agent.died)
        : `${messageOf(thrown)}${lastWordsOf(agent)}`;
      mmds?.destroy();
      await agent.destroy();
      throw new Error(`agent ${choice.name}: ${reason}`);
    }
  }

  async tearDown(): Promise<void> {
    this.mmds.destroy();
    await Promise.all([this.agent.destroy(), this.api.close()]);
  }

  /** The agent's process, for what reaches into its files. */
  get process(): AgentProcess {
    return this.agent.process;
  }

  /** Writes down what the scenario does. */
  step(text: string): void {
    this.timeline.add(monotonicMs(), 'step', text);
  }

  /** Sends one `/init`. @throws AgentDied when the agent has ended */
  async init(body?: Record<string, unknown> | string): Promise<ApiAnswer> {
    const answer = await this.api.init(body);
    const { status, version, error, sentMs } = answer;
    this.version = version ?? this.version;
    this.timeline.add(sentMs, 'init', `answered ${status ?? `not at all (${error})`}`);
    if (status === null) await this.assertSurvived();
    return answer;
  }

  /** Sends one `/init` that is to be accepted. @throws Failure when it is not */
  async acceptedInit(): Promise<ApiAnswer> {
    const answer = await this.init();
    if (answer.status === 204) return answer;
    throw new Failure(
      `an /init was answered ${answer.status ?? `not at all (${answer.error})`}, not 204`,
    );
  }

  /** Many `/init`s and `/health` probes, one by one at a steady pace, from a thread of their own. */
  async drive(count: number, everyMs: number): Promise<DriverReport> {
    const outageMs = count * everyMs;
    const driver = new DriverPart(
      {
        ...this.network.agent,
        policyName: 'fixed',
        times: { intervalMs: everyMs, outageMs, retryPauseMs: 0, retryBudgetMs: outageMs },
        initTimeoutMs: 5_000,
        healthEveryMs: everyMs,
        healthTimeoutMs: 5_000,
        accessToken: ACCESS_TOKEN,
      },
      () => {},
    );
    await driver.ready;
    const beganMs = monotonicMs() + LOOK_EVERY_MS;
    driver.run(beganMs);
    await driver.finished;
    const report = await driver.close();
    const { init, health } = report;
    this.timeline.add(beganMs, 'init', `${init.sent} at ${everyMs} ms, answered ${init.answered}`);
    this.step(`/health asked ${health.sent} times, answered ${health.answered}`);
    await this.assertAlive();
    return report;
  }

  /** Lets another fault hold. */
  async setFault(name: string, parameters: Record<string, number> = {}): Promise<void> {
    const values = Object.values(parameters).map((ms) => ` ${formatDuration(ms)}`);
    this.step(`MMDS: ${name}${values.join('')}`);
    await this.mmds.setFault({ name, parameters });
  }

  /** Puts another identity into MMDS: a new one each time. */
  async nextIdentity(): Promise<Identity> {
    const next = identity(++this.served);
    this.step(`metadata: ${inWords(next)}`);
    await this.mmds.setMetadata(metadataOf(next));
    return next;
  }

  /** Empties the store, as a restored snapshot has it. */
  async emptyStore(): Promise<void> {
    this.step('metadata: none');
    await this.mmds.setMetadata(null);
  }

  /** Writes no single poll down any more: what follows is a storm. */
  async unwatch(): Promise<void> {
    await this.mmds.watch(undefined);
  }

  /** Stops the agent, as a pause of its VM does. */
  pause(): void {
    this.agent.process.pause();
    this.step('the agent is stopped');
  }

  resume(): void {
    this.agent.process.resume();
    this.step('the agent goes on');
  }

  /** Who the agent says it is now. */
  async identity(): Promise<Partial<Identity>> {
    const envs = await this.api.envs();
    if (!envs) await this.assertAlive();
    const found = identityIn(envs, (path) => this.process.rootFile(path));
    const words = inWords(found);
    if (words !== this.lastIdentity) this.timeline.add(monotonicMs(), 'identity', words);
    this.lastIdentity = words;
    return found;
  }

  async has({ sandboxId, templateId }: Identity): Promise<boolean> {
    const found = await this.identity();
    return found.sandboxId === sandboxId && found.templateId === templateId;
  }

  /**
   * Waits until the agent has that identity, and MMDS has told all up to then.
   * @returns false when it has not by `deadlineMs` of the monotonic clock
   */
  async delivered(wanted: Identity, deadlineMs: number): Promise<boolean> {
    const arrived = await this.until(() => this.has(wanted), deadlineMs);
    await this.mmds.sync();
    return arrived;
  }

  /** Waits until nothing polls any more. @returns false when something still does at the deadline */
  quiet(deadlineMs: number): Promise<boolean> {
    const sinceMs = monotonicMs();
    return this.until(async () => {
      await this.mmds.sync();
      const lastMs = Math.max(sinceMs, this.watch.lastAskedMs);
      return this.watch.open === 0 && monotonicMs() - lastMs >= quietMs(this.times);
    }, deadlineMs);
  }

  /**
   * Waits for a condition.
   * @param deadlineMs of the monotonic clock
   * @returns false when it never came true
   * @throws AgentDied when the agent ends meanwhile
   */
  async until(holds: () => boolean | Promise<boolean>, deadlineMs: number): Promise<boolean> {
    for (;;) {
      if (await holds()) return true;
      await this.assertAlive();
      if (monotonicMs() >= deadlineMs) return false;
      await sleepUntil(monotonicMs() + LOOK_EVERY_MS);
    }
  }

  /** Waits, and sees to it that the agent lives through it and MMDS has told all. */
  async wait(ms: number): Promise<void> {
    await this.until(() => false, monotonicMs() + ms);
    await this.mmds.sync();
  }

  /** A death is told a moment after its connections were lost. */
  private async assertSurvived(): Promise<void> {
    const deadlineMs = monotonicMs() + DEATH_TOLD_WITHIN_MS;
    while (!this.agent.died && monotonicMs() < deadlineMs) {
      await sleepUntil(monotonicMs() + LOOK_EVERY_MS);
    }
    await this.assertAlive();
  }

  private async assertAlive(): Promise<void> {
    if (!this.agent.died) return;
    // The rest of what it said may still be on its way.
    await sleepUntil(monotonicMs() + LOOK_EVERY_MS);
    throw new AgentDied(`the agent ${endOf(this.agent, this.agent.died)}`);
  }
}

/** How an agent that has died ended, in words. */
function endOf(agent: AgentPart, died: Exit): string {
  return howEnded(died) + lastWordsOf(agent);
}

function lastWordsOf(agent: AgentPart): string {
  const words = agent.lastWords();
  return words ? `; it said: ${words}` : '';
}
