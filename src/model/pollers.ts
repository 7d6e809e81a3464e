import { type Agenda, Rank } from './agenda.js';
import type { Attempts, Caller, Flight } from './attempts.js';
import { type Conduct, wholeNs } from './conduct.js';
import { type PollerModel, TICK_MS } from './facts.js';

const TICK = wholeNs(TICK_MS);

/** How the pollers of an agent poll. */
export interface PollerRules {
  poller: PollerModel;
  /** Whether an empty store (`null`) ends a poller. */
  acceptsEmptyStore: boolean;
  mmdsVersion: 'V1' | 'V2';
}

export class Poller {
  isOver = false;
  /** Polls once more after its next success. */
  again = false;
  constructor(
    public deadlineAt: number,
    public crew: Crew,
  ) {}
}

/**
 * Pollers in step, alike in all but their deadlines: one entry in the agenda stands for them all.
 * At an interval of 100 ms all 600 tick together, which makes the model hundreds of times faster.
 */
class Crew implements Caller {
  live = 0;
  flight: Flight | null = null;
  #members: Poller[] = [];

  /** @param tickAt when the present or next tick is due, whole ns */
  constructor(public tickAt: number) {}

  get members(): Poller[] {
    this.#members = this.#members.filter(({ isOver }) => !isOver);
    return this.#members;
  }

  add(poller: Poller): void {
    poller.crew = this;
    this.#members.push(poller);
    this.live++;
    // Through a long outage those that are over would pile up here.
    if (this.#members.length > 2 * this.live + 64) this.#members = this.members;
  }

  /** Takes so many out, into a crew of their own. */
  split(count: number): Crew {
    const crew = new Crew(this.tickAt);
    while (crew.live < count) {
      const poller = this.#members.pop();
      if (!poller) break;
      if (!poller.isOver) crew.add(poller);
    }
    this.live -= crew.live;
    return crew;
  }
}

/** All pollers of an agent (src/agents/poller.ts, poll-models.ts). */
export class Pollers {
  running = 0;
  peak = 0;
  peakAt = 0;
  spawned = 0;
  #mostLately = 0;
  /** Crews that wait for their next tick, by when it is due. */
  readonly #idle = new Map<number, Crew>();

  constructor(
    private readonly agenda: Agenda,
    private readonly attempts: Attempts,
    private readonly rules: PollerRules,
  ) {}

  /** The most that ran at once since the last call. */
  takeMost(): number {
    const most = this.#mostLately;
    this.#mostLately = this.running;
    return most;
  }

  /** @param lifetime whole ns; Infinity for the boot poller */
  spawn(lifetime: number): Poller {
    const { agenda } = this;
    const crew = new Crew(agenda.now + TICK);
    const poller = new Poller(agenda.now + lifetime, crew);
    crew.add(poller);
    this.spawned++;
    this.running++;
    this.#mostLately = Math.max(this.#mostLately, this.running);
    if (this.running > this.peak) {
      this.peak = this.running;
      this.peakAt = agenda.now;
    }
    if (Number.isFinite(lifetime)) {
      agenda.after(lifetime, Rank.deadline, () => this.#onDeadline(poller));
    }
    this.#awaitTick(crew);
    return poller;
  }

  #onDeadline(poller: Poller): void {
    if (poller.isOver) return;
    if (poller.deadlineAt <= this.agenda.now) this.#end(poller);
    else this.agenda.at(poller.deadlineAt, Rank.deadline, () => this.#onDeadline(poller));
  }

  #end(poller: Poller): void {
    poller.isOver = true;
    poller.crew.live--;
    this.running--;
    this.attempts.lose(poller.crew);
  }

  #awaitTick(crew: Crew): void {
    const { agenda } = this;
    const { tickAt } = crew;
    const other = this.#idle.get(tickAt);
    if (other) {
      const [small, large] = crew.live < other.live ? [crew, other] : [other, crew];
      for (const poller of small.members) large.add(poller);
      this.#idle.set(tickAt, large);
      return;
    }
    this.#idle.set(tickAt, crew);
    const act = () => {
      const due = this.#idle.get(tickAt);
      this.#idle.delete(tickAt);
      if (due) this.#tick(due);
    };
    if (tickAt - agenda.now === TICK) agenda.after(TICK, Rank.tick, act);
    else agenda.at(tickAt, Rank.tick, act);
  }

  #tick(crew: Crew): void {
    if (crew.live === 0) return;
    this.#request(crew, (asked, answer) => {
      const hasToken = answer?.givesToken === true;
      if (this.rules.poller === 'envd' && !hasToken) this.#nextTick(asked);
      else this.#request(asked, (all, answered) => this.#onMetadata(all, hasToken, answered));
    });
  }

  /** Makes one request for all of a crew, or of the parts it falls into on the way. */
  #request(crew: Crew, then: (crew: Crew, answer: Conduct | null) => void): void {
    const { attempts } = this;
    if (attempts.isServedOneByOne) {
      while (crew.live > 1) this.#requestTogether(crew.split(1), then);
    }
    this.#requestTogether(crew, then);
  }

  #requestTogether(crew: Crew, then: (crew: Crew, answer: Conduct | null) => void): void {
    const { attempts } = this;
    if (crew.live === 0) return;
    const lucky = attempts.findPorts(crew.live);
    const unlucky = lucky < crew.live ? crew.split(crew.live - lucky) : undefined;
    // First, or what the others do next takes the ports that these have found.
    if (crew.live > 0) attempts.begin(crew, (answer) => then(crew, answer));
    if (unlucky) then(unlucky, null);
  }

  #onMetadata(crew: Crew, hasToken: boolean, answer: Conduct | null): void {
    const { acceptsEmptyStore, mmdsVersion } = this.rules;
    const found = hasToken || mmdsVersion === 'V1' ? (answer?.metadata ?? 'none') : 'none';
    if (found === 'full' || (found === 'empty' && acceptsEmptyStore)) {
      for (const poller of crew.members) {
        if (poller.again) poller.again = false;
        else this.#end(poller);
      }
    }
    this.#nextTick(crew);
  }

  /** Go's ticker keeps to its grid; of the ticks that were missed one is kept and fires at once. */
  #nextTick(crew: Crew): void {
    if (crew.live === 0) return;
    const { now } = this.agenda;
    const missed = Math.floor((now - crew.tickAt) / TICK);
    crew.tickAt += Math.max(1, missed) * TICK;
    if (crew.tickAt > now) this.#awaitTick(crew);
    else this.agenda.at(now, Rank.tick, () => this.#tick(crew));
  }
}
