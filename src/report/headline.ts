import { formatDuration } from '../base/duration.js';
import { formatSize } from '../base/size.js';
import { cleanText } from '../base/text.js';
import type { Machine, Result, ScenarioRecord } from '../results/schema.js';

/** What a run did, as short phrases. Text from outside is cleaned. */
export function scenarioPhrases(scenario: ScenarioRecord): string[] {
  const { repeat, isolationReason } = scenario;
  return [
    `/init every ${formatDuration(scenario.intervalMs)} for ${formatDuration(scenario.outageMs)}`,
    `fault ${cleanText(scenario.fault)}`,
    `poller ${scenario.poller}`,
    retryPhrase(scenario),
    `auth ${scenario.auth}`,
    ...(scenario.bootPoller ? ['with a boot poller'] : []),
    `MMDS ${scenario.mmdsVersion} (close ${scenario.mmdsClose})`,
    `isolation ${scenario.isolation}${isolationReason ? ` (${cleanText(isolationReason)})` : ''}`,
    guestPhrase(scenario),
    `lanes ${scenario.sequential ? 'in turn' : 'side by side'}`,
    ...(repeat.of > 1 ? [`repeat ${repeat.index} of ${repeat.of}`] : []),
  ];
}

/** The machine that a run was made on. Text from outside is cleaned. */
export function machinePhrases(machine: Machine): string[] {
  const of = (part: number, whole: number, text: string) => (part === whole ? '' : ` of ${text}`);
  return [
    `kernel ${cleanText(machine.kernel, 80)}`,
    `${machine.cpus}${of(machine.cpus, machine.hostCpus, `${machine.hostCpus}`)} CPUs`,
    formatSize(machine.memoryBytes) +
      of(machine.memoryBytes, machine.hostMemoryBytes, formatSize(machine.hostMemoryBytes)),
    `node ${cleanText(machine.node, 40)}`,
  ];
}

/** How far an interrupted run came; null for a complete one. */
export function partialPhrase(result: Result): string | null {
  if (result.complete) return null;
  const reachedMs = Math.max(0, ...result.lanes.map((lane) => lane.series.tMs.at(-1) ?? 0));
  return reachedMs > 0
    ? `partial: interrupted after ${formatDuration(Math.round(reachedMs))} of ${formatDuration(result.scenario.outageMs)}`
    : 'partial: interrupted before anything was measured';
}

function retryPhrase(scenario: ScenarioRecord): string {
  const timings = [
    `timeout ${formatDuration(scenario.initTimeoutMs)}`,
    ...(scenario.retryPauseMs ? [`pause ${formatDuration(scenario.retryPauseMs)}`] : []),
    ...(scenario.retryBudgetMs ? [`budget ${formatDuration(scenario.retryBudgetMs)}`] : []),
  ];
  return `retry ${scenario.retry} (${timings.join(', ')})`;
}

function guestPhrase({ guest, isolation }: ScenarioRecord): string {
  // Without a namespace of its own the guest has this machine's memory and ports; it is pinned all the same.
  if (isolation === 'loopback') {
    const cpus = guest.cpus === null ? '' : `${guest.cpus} CPUs, `;
    return `guest ${cpus}memory and ports: this machine's own (loopback)`;
  }
  const limits = [
    ...(guest.memoryBytes === null ? [] : [formatSize(guest.memoryBytes)]),
    ...(guest.cpus === null ? [] : [`${guest.cpus} CPUs`]),
    ...(guest.portRange === null ? [] : [`ports ${guest.portRange.join('-')}`]),
  ];
  return limits.length > 0 ? `guest ${limits.join(', ')}` : "guest limits: this machine's own";
}
