import type { Simulation } from '../model/simulation.js';
import { SAMPLE_MS } from '../model/trace.js';

/** How many sandboxes there are, and when their outages begin. */
export interface FleetShape {
  sandboxesPerHost: number;
  hosts: number;
  /** Over what time the outages begin, ms; 0: all at the same instant. */
  staggerMs: number;
  seed: number;
}

/** The peaks of many sandboxes together. */
export interface Together {
  pollersPeak: number;
  connectionsPerSecondPeak: number;
  portsPeak: number;
}

/** A sandbox's course is cut into at most so many steps, which bounds the work for each sandbox. */
const MOST_STEPS = 600;

/** The instants at which outages begin fall into at most so many slots. */
const MOST_SLOTS = 10_000;

/**
 * The busiest host, and all of them: every sandbox has the same course, begun at an instant of its
 * own. Each instant is drawn from the seed, the host and the sandbox, so that a sandbox more changes
 * nothing for the others.
 */
export function together(
  simulation: Simulation,
  { sandboxesPerHost, hosts, staggerMs, seed }: FleetShape,
): { host: Together; fleet: Together } {
  if (staggerMs === 0) {
    const times = (count: number): Together => ({
      pollersPeak: simulation.pollers.peak * count,
      connectionsPerSecondPeak: simulation.connections.perSecondPeak * count,
      portsPeak: simulation.ports.peak * count,
    });
    return { host: times(sandboxesPerHost), fleet: times(sandboxesPerHost * hosts) };
  }
  const courses = coursesOf(simulation, staggerMs);
  const slots = Math.max(1, Math.ceil(staggerMs / courses.stepMs));
  const all = new Uint32Array(slots);
  const host: Together = { pollersPeak: 0, connectionsPerSecondPeak: 0, portsPeak: 0 };
  for (let h = 0; h < hosts; h++) {
    const begins = new Uint32Array(slots);
    for (let i = 0; i < sandboxesPerHost; i++) {
      const slot = Math.floor(fraction(seed, h, i) * slots);
      begins[slot] = (begins[slot] ?? 0) + 1;
      all[slot] = (all[slot] ?? 0) + 1;
    }
    const peaks = peaksOf(courses, begins);
    host.pollersPeak = Math.max(host.pollersPeak, peaks.pollersPeak);
    host.portsPeak = Math.max(host.portsPeak, peaks.portsPeak);
    host.connectionsPerSecondPeak = Math.max(
      host.connectionsPerSecondPeak,
      peaks.connectionsPerSecondPeak,
    );
  }
  return { host, fleet: peaksOf(courses, all) };
}

interface Courses {
  stepMs: number;
  pollers: Float64Array;
  connectionsPerSecond: Float64Array;
  portsInUse: Float64Array;
}

/** The series in steps, each with the largest value in it. */
function coursesOf({ series }: Simulation, staggerMs: number): Courses {
  const samples = series.tMs.length;
  const perStep = Math.ceil(Math.max(samples / MOST_STEPS, staggerMs / SAMPLE_MS / MOST_SLOTS));
  const steps = Math.ceil(samples / perStep);
  const largest = (values: readonly number[]): Float64Array => {
    const course = new Float64Array(steps);
    values.forEach((value, i) => {
      const step = Math.floor(i / perStep);
      course[step] = Math.max(course[step] ?? 0, value);
    });
    return course;
  };
  return {
    stepMs: perStep * SAMPLE_MS,
    pollers: largest(series.pollersMost),
    connectionsPerSecond: largest(series.connectionsPerSecond),
    portsInUse: largest(series.portsInUse),
  };
}

function peaksOf(courses: Courses, begins: Uint32Array): Together {
  return {
    pollersPeak: peakOf(courses.pollers, begins),
    connectionsPerSecondPeak: peakOf(courses.connectionsPerSecond, begins),
    portsPeak: peakOf(courses.portsInUse, begins),
  };
}

/** The largest sum of the courses, each begun at its slot. */
function peakOf(course: Float64Array, begins: Uint32Array): number {
  const sum = new Float64Array(begins.length + course.length);
  begins.forEach((count, slot) => {
    if (count === 0) return;
    course.forEach((value, step) => {
      sum[slot + step] = (sum[slot + step] ?? 0) + count * value;
    });
  });
  return sum.reduce((peak, value) => Math.max(peak, value), 0);
}

/** A number from 0 up to 1 for every combination, by the mixing steps of MurmurHash3. */
export function fraction(seed: number, host: number, sandbox: number): number {
  let hash = seed | 0;
  for (const part of [host, sandbox]) {
    hash = Math.imul(hash ^ part, 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    hash ^= hash >>> 16;
    hash = (hash + 0x9e3779b9) | 0;
  }
  return (hash >>> 0) / 2 ** 32;
}
