import type { Kill } from './trial.js';
import { VICTIMS, type Victim } from './victims.js';

/** How long set-up takes, and on a busy machine the whole of it and the storm, ms. */
const SET_UP_MS = 4_000;

/** From the first attempt to the end of tear-down, ms. */
const STORM_MS = 3_000;

/** Set-up is where tools are used; it begins about so long after the start, ms. */
const TOOLS_UNTIL_MS = 1_000;

/**
 * The kills of a seed, always the same for the same seed: victim, signal and moment are drawn.
 * @param isolations which kinds of lanes this machine can have
 */
export function drawKills(
  count: number,
  seed: number,
  isolations: readonly Kill['isolation'][],
): Kill[] {
  const random = mulberry32(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  return Array.from({ length: count }, () => {
    // Every fourth on loopback, where there is a choice.
    const isolation = isolations.length > 1 && random() < 0.75 ? 'netns' : pick(isolations);
    const victim = pick(VICTIMS.filter((one) => isolation === 'netns' || livesOnLoopback(one)));
    const blow = pick(
      victim === 'main'
        ? (['SIGTERM', 'SIGKILL', 'SIGSTOP', 'twice'] as const)
        : (['SIGTERM', 'SIGKILL', 'SIGSTOP', 'pause'] as const),
    );
    // On loopback nobody outside can tell the attempts of one agent.
    const from = victim !== 'tool' && isolation === 'netns' && random() < 0.6 ? 'storm' : 'start';
    const span = victim === 'tool' ? TOOLS_UNTIL_MS : from === 'storm' ? STORM_MS : SET_UP_MS;
    return { victim, blow, atMs: Math.round(random() * span), from, isolation, which: random() };
  });
}

/** On loopback there are no namespaces, and so none of the programs that make and hold them. */
export function livesOnLoopback(victim: Victim): boolean {
  return ['main', 'lane host', 'agent', 'MMDS'].includes(victim);
}

/** Tommy Ettinger's mulberry32: a small generator with a seed, which Math.random has not. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
