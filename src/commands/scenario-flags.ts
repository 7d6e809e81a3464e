import { Flags, type Interfaces } from '@oclif/core';
import { readScenarioFile } from '../experiment/scenario-file.js';
import type { ScenarioText } from '../experiment/scenario-text.js';
import { retryPolicies } from '../orchestrator/retry/index.js';

/** The flags that make a scenario. */
export const scenarioFlags = {
  interval: Flags.string({
    default: ['100ms'],
    multiple: true,
    multipleNonGreedy: true,
    helpValue: '100ms',
    summary: 'time between two /init requests; a comma list or repeats make a sweep',
  }),
  outage: Flags.string({
    default: '60s',
    summary: 'how long the fault holds and /init is driven',
  }),
  fault: Flags.string({
    default: 'refused',
    summary: 'how MMDS is unavailable: one fault, or a schedule such as refused@0s,none@50s',
  }),
  retry: Flags.string({
    default: 'fixed',
    summary: `how /init is repeated: ${[...retryPolicies.keys()].join(' or ')}`,
  }),
  'init-timeout': Flags.string({
    summary: 'timeout of one /init [default: 10s when fixed, 50ms when orchestrator]',
  }),
  'retry-pause': Flags.string({
    default: '5ms',
    summary: 'pause after a failed /init (orchestrator)',
  }),
  'retry-budget': Flags.string({
    default: '10s',
    summary: 'how long the orchestrator tries in all',
  }),
  poller: Flags.string({
    default: 'issue',
    summary:
      'issue: both requests of a tick are attempted whatever the first did; envd: a failed first ends it',
  }),
  auth: Flags.string({
    default: 'stored',
    summary:
      "whether /init's access token is known already (stored) or must be asked of MMDS (mmds)",
  }),
  'boot-poller': Flags.boolean({
    default: false,
    summary: "also start envd's poller at boot, which no guard covers",
  }),
  agent: Flags.string({
    default: ['unguarded', 'guarded'],
    multiple: true,
    multipleNonGreedy: true,
    summary:
      'an agent under test: a built-in name, or NAME=COMMAND for a program of yours; repeat it',
  }),
  'poll-function': Flags.string({
    default: 'PollForMMDSOpts',
    summary: "the Go function that polls, counted in a program's stack dump",
  }),
  'stack-dump': Flags.string({
    default: 'on',
    summary: 'off: a program gets no SIGQUIT at the end, and its pollers stay an estimate',
  }),
  isolation: Flags.string({
    default: 'auto',
    options: ['auto', 'netns', 'loopback'],
    summary: 'how lanes are kept apart',
  }),
  'mmds-close': Flags.string({
    default: 'auto',
    summary: 'who closes a served connection first: agent, mmds, or auto (as the fault has it)',
  }),
  'mmds-version': Flags.string({ default: 'V2', summary: 'MMDS V2 (with tokens) or V1' }),
  'guest-memory': Flags.string({
    default: '1GiB',
    summary: "the guest's memory, which sets its TIME_WAIT limit; host leaves this machine's",
  }),
  'guest-cpus': Flags.string({
    default: '2',
    summary: "the guest's processors; host leaves this machine's",
  }),
  'port-range': Flags.string({
    helpValue: '32768-60999',
    summary: "the guest's ephemeral ports [default: the kernel's own]",
  }),
  headroom: Flags.boolean({
    default: false,
    summary:
      'also load /health closed-loop before the storm and in its last seconds: what is left of it',
  }),
  sequential: Flags.boolean({
    default: false,
    summary: 'lanes in turn (alternating order), not side by side',
  }),
  repeat: Flags.string({ default: '1', summary: 'how often the run is repeated' }),
};

/** `--scenario FILE`, for the commands that take one. */
export const scenarioFile = Flags.string({
  helpValue: 'FILE',
  summary: 'a JSON file with these flags by name; what is typed beside it goes first',
});

type ScenarioValues = Interfaces.InferredFlags<typeof scenarioFlags>;

/**
 * Puts the values of a scenario file in the place of defaults.
 * @param typed oclif's record of which flags were typed
 * @throws UsageError as {@link readScenarioFile}
 */
export function fromScenarioFile<T extends ScenarioValues>(
  flags: T & { scenario?: string | undefined },
  typed: Interfaces.ParserOutput['metadata']['flags'],
): T {
  if (flags.scenario === undefined) return flags;
  const shapes = new Map(
    Object.entries(scenarioFlags).map(([name, flag]) => {
      const isList = 'multiple' in flag && flag.multiple;
      return [name, flag.type === 'boolean' ? 'switch' : isList ? 'texts' : 'text'] as const;
    }),
  );
  const values = Object.entries(readScenarioFile(flags.scenario, shapes)).filter(
    ([name]) => flags[name as keyof T] === undefined || typed[name]?.setFromDefault,
  );
  return { ...flags, ...Object.fromEntries(values) };
}

/** The scenario as it was typed. */
export function scenarioText(flags: Interfaces.InferredFlags<typeof scenarioFlags>): ScenarioText {
  return {
    interval: flags.interval,
    outage: flags.outage,
    fault: flags.fault,
    retry: flags.retry,
    initTimeout: flags['init-timeout'],
    retryPause: flags['retry-pause'],
    retryBudget: flags['retry-budget'],
    poller: flags.poller,
    auth: flags.auth,
    bootPoller: flags['boot-poller'],
    agent: flags.agent,
    mmdsClose: flags['mmds-close'],
    mmdsVersion: flags['mmds-version'],
    guestMemory: flags['guest-memory'],
    guestCpus: flags['guest-cpus'],
    portRange: flags['port-range'],
    headroom: flags.headroom,
    sequential: flags.sequential,
    repeat: flags.repeat,
    pollFunction: flags['poll-function'],
    stackDump: flags['stack-dump'],
  };
}
