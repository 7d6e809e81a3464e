import { dirname } from 'node:path';
import { hashAccessToken } from '../agents/access-token.js';
import { monotonicMs, sleepUntil } from '../base/clock.js';
import { formatDuration } from '../base/duration.js';
import { messageOf } from '../base/errors.js';
import { cleanText } from '../base/text.js';
import { ACCESS_TOKEN, agentCommand } from '../lane/agent-command.js';
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
import { AgentDied, Failure, Unobservable } from './errors.js';
import { carries, MmdsWatch } from './mmds-watch.js';
import { Timeline } from './timeline.js';
import { PATIENCE_MS, quietMs, type Times, timesOf } from './times.js';

/** How often a condition is looked at, ms. */
const LOOK_EVERY_MS = 10;

/** What a stage is built from. */
export interface StageSpec {
  agent: LaneSpec['agent'];
  isolation: LaneSpec['isolation'];
  /** The version to differ from; null when no base agent was given. */
  baseVersion: string | null;
}

/** Who a sandbox is, as MMDS has it. */
export interface Identity {
  sandboxId: string;
  templateId: string;
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
      mmds = await MmdsPart.start(
        network,
        { mmdsVersion: 'V2', mmdsClose: 'auto' },
        metadataOf(identity(0)),
        { name: firstFault, parameters: {} },
        () => {},
      );
      const api = new AgentApi(network.agent);
      const stage = new Stage(spec, network, agent, mmds, api);
      await mmds.watch((events) => stage.watch.take(events));
      await untilHealthy(network.agent, () => agent.died !== undefined);
      stage.step(`the agent is ready; MMDS: ${firstFault}, with ${inWords(identity(0))}`);
      return stage;
    } catch (thrown) {
      mmds?.destroy();
      await agent.destroy();
      const words = agent.lastWords();
      throw new Error(
        `agent ${choice.name}: ${messageOf(thrown)}${words ? `; it said: ${words}` : ''}`,
      );
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
    if (status === null) await this.assertAlive();
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
    const driver = new DriverPart({
      ...this.network.agent,
      policyName: 'fixed',
      times: { intervalMs: everyMs, outageMs, retryPauseMs: 0, retryBudgetMs: outageMs },
      initTimeoutMs: 5_000,
      healthEveryMs: everyMs,
      healthTimeoutMs: 5_000,
      accessToken: ACCESS_TOKEN,
    });
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

  /**
   * Who the agent says it is, in `/envs`, or else in the files that envd keeps (internal/host/mmds.go);
   * what it does not know is undefined.
   */
  async identity(): Promise<Partial<Identity>> {
    const envs = await this.api.envs();
    if (!envs) await this.assertAlive();
    const file = (name: string) => this.process.rootFile(`/run/e2b/.${name}`);
    const found = {
      ...text('sandboxId', envs?.E2B_SANDBOX_ID ?? file('E2B_SANDBOX_ID')),
      ...text('templateId', envs?.E2B_TEMPLATE_ID ?? file('E2B_TEMPLATE_ID')),
    };
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

  /**
   * What every sandbox has gone through before a scenario begins: one `/init` with a healthy MMDS,
   * which settles the access token and ends envd's poller of the boot.
   * @throws Failure when that does not deliver the identity
   */
  async warmUp(): Promise<void> {
    await this.acceptedInit();
    const deadlineMs = monotonicMs() + 10 * this.times.tickMs + PATIENCE_MS;
    if (!(await this.delivered(identity(0), deadlineMs))) throw await this.whyNotDelivered();
    if (!(await this.quiet(monotonicMs() + PATIENCE_MS + quietMs(this.times)))) {
      throw new Failure('the agent went on polling a healthy MMDS after its identity had arrived');
    }
    this.watch.restart();
  }

  private async whyNotDelivered(): Promise<Error> {
    const begin = 'after an /init with a healthy MMDS';
    if (this.watch.polls === 0) {
      return new Failure(`${begin} the agent made no attempt to reach it: it does not poll at all`);
    }
    const { sandboxId } = await this.identity();
    if (sandboxId === undefined && this.watch.answer(carries(identity(0).sandboxId))) {
      return new Unobservable('neither /envs nor /run/e2b says which identity this agent has');
    }
    return new Failure(`${begin} the agent did not take its identity`);
  }

  private async assertAlive(): Promise<void> {
    const { died } = this.agent;
    if (!died) return;
    // The rest of what it said may still be on its way.
    await new Promise((resolve) => setImmediate(resolve));
    const words = this.agent.lastWords();
    const how = died.code === null ? `was ended by ${died.signal}` : `exited ${died.code}`;
    throw new AgentDied(`the agent ${how}${words ? `; it said: ${words}` : ''}`);
  }
}

function identity(number: number): Identity {
  return { sandboxId: `isandbox${number}`, templateId: `template${number}` };
}

/** Firecracker's metadata as the orchestrator puts it (no log collector: nobody would listen). */
function metadataOf({ sandboxId, templateId }: Identity): Record<string, string> {
  return {
    instanceID: sandboxId,
    envID: templateId,
    address: '',
    accessTokenHash: hashAccessToken(ACCESS_TOKEN),
  };
}

/** An identity in one line: `isandbox1, template1`. */
export function inWords({ sandboxId, templateId }: Partial<Identity>): string {
  const word = (id: string | undefined) => (id === undefined ? 'unknown' : id || 'empty');
  return sandboxId === templateId ? word(sandboxId) : `${word(sandboxId)}, ${word(templateId)}`;
}

function text<Name extends string>(name: Name, value: unknown): { [key in Name]?: string } {
  return typeof value === 'string'
    ? ({ [name]: cleanText(value) } as { [key in Name]: string })
    : {};
}
