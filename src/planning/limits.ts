import { UsageError } from '../base/errors.js';
import { quoted } from '../base/text.js';
import type { PlanAgent, PlanReached } from '../results/plan.js';

/** What must not be exceeded. Of one host, but for the ports, which every sandbox has of its own. */
export interface Limit {
  /** As it was given, e.g. `--max-ports 50%`. */
  text: string;
  /** Whether it depends on how many sandboxes a host has. */
  isOfHost: boolean;
  of: PlanReached['of'];
  /** @returns the figure; null where it is not known */
  figure: (agent: PlanAgent) => number | null;
  most: number;
}

/** The limits as they were typed; undefined where not given. */
export interface LimitTexts {
  maxPollers?: string | undefined;
  maxConnectionsPerSecond?: string | undefined;
  maxPorts?: string | undefined;
  maxCpu?: string | undefined;
}

/**
 * Reads the limits.
 * @throws UsageError for one that is no positive number, or more than 100 %
 */
export function parseLimits(texts: LimitTexts): Limit[] {
  const { maxPollers, maxConnectionsPerSecond, maxPorts, maxCpu } = texts;
  const limits: Limit[] = [];
  const add = (
    text: string | undefined,
    flag: string,
    of: Limit['of'],
    figure: Limit['figure'],
    read: (text: string, flag: string) => number = positive,
  ): void => {
    if (text === undefined) return;
    const isOfHost = of !== 'share of the ports';
    limits.push({ text: `${flag} ${text.trim()}`, isOfHost, of, figure, most: read(text, flag) });
  };
  add(maxPollers, '--max-pollers', 'pollers', ({ perHost }) => perHost.pollersPeak);
  add(
    maxConnectionsPerSecond,
    '--max-connections-per-second',
    'connections/s',
    ({ perHost }) => perHost.connectionsPerSecondPeak,
  );
  add(
    maxPorts,
    '--max-ports',
    'share of the ports',
    ({ perSandbox: { ports } }) => ports.peak / ports.capacity,
    share,
  );
  add(maxCpu, '--max-cpu', 'cores', ({ perHost }) => perHost.cpuCoresPeak);
  return limits;
}

/** The first limit that a plan breaks; undefined when it keeps them all. */
export function brokenLimit(agent: PlanAgent, limits: readonly Limit[]): Limit | undefined {
  return limits.find(({ figure, most }) => {
    const value = figure(agent);
    return value === null || value > most;
  });
}

function positive(text: string, flag: string): number {
  const value = Number(text);
  if (!/^\d{1,12}(\.\d{1,9})?$/.test(text.trim()) || !(value > 0)) {
    throw new UsageError(
      `${flag} ${quoted(text)} is not a number above 0`,
      `Give it as ${flag} 1000`,
    );
  }
  return value;
}

function share(text: string, flag: string): number {
  const match = /^(\d{1,3}(?:\.\d{1,9})?)%$/.exec(text.trim());
  const value = Number(match?.[1]) / 100;
  if (!(value > 0) || value > 1) {
    throw new UsageError(
      `${flag} ${quoted(text)} is not a share from above 0% to 100%`,
      `Give it as ${flag} 50%`,
    );
  }
  return value;
}
