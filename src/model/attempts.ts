import { type Agenda, Rank } from './agenda.js';
import { type Conduct, wholeNs } from './conduct.js';
import { REQUEST_TIMEOUT_MS } from './facts.js';
import type { Ports } from './ports.js';
import type { Processor } from './processor.js';

/** How many connections Firecracker serves at once on one interface (src/vmm/src/mmds/ns.rs). */
export const MMDS_CONNECTIONS = 30;

/** How often Linux repeats a SYN, at first (tcp_syn_linear_timeouts since 6.5; before, 1, 3, 7 s). */
const SYN_AGAIN = wholeNs(1000);
const REQUEST_TIMEOUT = wholeNs(REQUEST_TIMEOUT_MS);

/** Who makes attempts: so many at once, all alike. */
export interface Caller {
  /** How many still want an answer. */
  live: number;
  flight: Flight | null;
}

/** Alike attempts, made at one instant. */
export interface Flight {
  readonly caller: Caller;
  readonly startedAt: number;
  /** Told what answered; null when nothing did. */
  readonly then: (answer: Conduct | null) => void;
  state: 'new' | 'silent' | 'held' | 'queued' | 'served' | 'over';
  /** Which meeting with MMDS this is: what was planned in an earlier one is void. */
  meeting: number;
}

/** MMDS as the attempts meet it, with the guest's ports and processor that they take. */
export class Attempts {
  conduct: Conduct;
  /** All that were begun; without those that found no port. */
  begun = 0;
  localFailures = 0;
  /** When more were open than Firecracker serves, whole ns; null: never. */
  crowdedAt: number | null = null;
  readonly #flights = new Set<Flight>();
  /** Those that wait for a place, in order; a Set because some give up in its middle. */
  readonly #queue = new Set<Flight>();
  #places = MMDS_CONNECTIONS;

  constructor(
    private readonly agenda: Agenda,
    private readonly ports: Ports,
    private readonly processor: Processor,
    conduct: Conduct,
  ) {
    this.conduct = conduct;
  }

  /** Whether attempts made together are answered apart: each takes one of the places. */
  get isServedOneByOne(): boolean {
    return this.conduct.meets === 'answer' && this.conduct.limited && this.conduct.delayMs > 0;
  }

  /** How many of `count` attempts find a port now; the others are counted as failed. */
  findPorts(count: number): number {
    const { meets, delayMs, agentCloses } = this.conduct;
    // One after another they use the same port, where it is free again at once.
    const isBrief = meets === 'refusal' || (meets === 'answer' && delayMs === 0 && !agentCloses);
    const found = this.ports.find(isBrief ? 1 : count, this.agenda.now);
    const lucky = isBrief ? found * count : found;
    this.localFailures += count - lucky;
    return lucky;
  }

  /** Begins an attempt for every one of the caller's, all of which have found a port. */
  begin(caller: Caller, then: Flight['then']): void {
    const startedAt = this.agenda.now;
    const flight: Flight = { caller, startedAt, then, state: 'new', meeting: 0 };
    caller.flight = flight;
    this.begun += caller.live;
    this.processor.take(caller.live, startedAt);
    this.#meet(flight);
  }

  /** One of the caller's has just gone away (its `live` is already one less). */
  lose(caller: Caller): void {
    const { flight } = caller;
    if (!flight || flight.state === 'over' || flight.state === 'new') return;
    this.ports.release(1);
    if (flight.state === 'held') this.ports.enterTimeWait(1, this.agenda.now);
    if (caller.live === 0) this.#leave(flight);
  }

  /** MMDS goes over to another conduct. */
  follow(conduct: Conduct): void {
    this.conduct = conduct;
    for (const flight of [...this.#flights]) {
      if (flight.state === 'silent') this.#repeatSyn(flight);
      // A server that is gone takes its connections with it; packets that vanish change nothing yet.
      else if (conduct.meets !== 'silence') this.#meetAgain(flight);
    }
  }

  #meet(flight: Flight): void {
    const { conduct } = this;
    if (conduct.meets === 'refusal') this.#settle(flight, null);
    else if (conduct.meets === 'answer' && conduct.delayMs === 0) this.#settle(flight, conduct);
    else {
      if (flight.state === 'new') this.#wait(flight);
      if (conduct.meets === 'silence') flight.state = 'silent';
      else if (conduct.meets === 'hold') flight.state = 'held';
      else if (!conduct.limited || this.#places > 0) this.#serve(flight);
      else {
        flight.state = 'queued';
        this.#queue.add(flight);
      }
    }
  }

  #wait(flight: Flight): void {
    this.#flights.add(flight);
    this.ports.hold(flight.caller.live, this.agenda.now);
    if (this.ports.waiting > MMDS_CONNECTIONS) this.crowdedAt ??= this.agenda.now;
    this.agenda.after(REQUEST_TIMEOUT, Rank.outcome, () => this.#giveUp(flight));
  }

  #serve(flight: Flight): void {
    const { conduct } = this;
    const { meeting } = flight;
    flight.state = 'served';
    this.#places--;
    this.agenda.after(wholeNs(conduct.delayMs), Rank.outcome, () => {
      if (flight.state === 'served' && flight.meeting === meeting) this.#settle(flight, conduct);
    });
  }

  #meetAgain(flight: Flight): void {
    flight.meeting++;
    this.#queue.delete(flight);
    this.#freePlace(flight);
    this.#meet(flight);
  }

  #repeatSyn(flight: Flight): void {
    if (this.conduct.meets === 'silence') return;
    const { meeting } = flight;
    const waited = this.agenda.now - flight.startedAt;
    const at = flight.startedAt + Math.ceil(waited / SYN_AGAIN) * SYN_AGAIN;
    this.agenda.at(at, Rank.outcome, () => {
      if (flight.state === 'silent' && flight.meeting === meeting) this.#meetAgain(flight);
    });
  }

  #giveUp(flight: Flight): void {
    if (flight.state === 'over') return;
    // Closing an open connection leaves TIME_WAIT; one without an answer to its SYN, or still
    // without a place (src/mmds/connections.ts resets it), leaves nothing.
    const leavesTimeWait = flight.state === 'held';
    this.#leave(flight);
    if (leavesTimeWait) this.ports.enterTimeWait(flight.caller.live, this.agenda.now);
    flight.then(null);
  }

  #settle(flight: Flight, answer: Conduct | null): void {
    this.#leave(flight);
    if (answer?.agentCloses) this.ports.enterTimeWait(flight.caller.live, this.agenda.now);
    const { freeAt } = this.processor;
    if (freeAt <= this.agenda.now) flight.then(answer);
    else this.agenda.at(freeAt, Rank.outcome, () => flight.then(answer));
  }

  #leave(flight: Flight): void {
    if (this.#flights.delete(flight)) this.ports.release(flight.caller.live);
    this.#queue.delete(flight);
    this.#freePlace(flight);
    flight.state = 'over';
  }

  #freePlace(flight: Flight): void {
    if (flight.state !== 'served') return;
    flight.state = 'held';
    this.#places++;
    const [next] = this.#queue;
    if (next) this.#meetAgain(next);
  }
}
