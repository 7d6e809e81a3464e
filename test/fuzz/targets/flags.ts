import fc from 'fast-check';
import { type scenarioFlags, scenarioText } from '../../../src/commands/scenario-flags.js';
import { parseScenarios } from '../../../src/experiment/scenario.js';
import { parsePullRequest } from '../../../src/github/target.js';
import { expandIntervals } from '../../../src/planning/intervals.js';
import { parseLimits as parsePlanLimits } from '../../../src/planning/limits.js';
import { parseLimits } from '../../../src/results/compare/limits.js';
import { parseThresholds, requireFields } from '../../../src/results/thresholds.js';
import { chooseScenarios } from '../../../src/verify/choose.js';
import { assertRefusal, hostileNumber, hostileText, mutatedBytes } from '../hostile.js';
import { defineTarget } from '../target.js';

type Values = Parameters<typeof scenarioText>[0];

/** What is typed when nothing is typed. */
export const defaults = {
  interval: ['100ms'],
  outage: '60s',
  fault: 'refused',
  retry: 'fixed',
  'init-timeout': undefined,
  'retry-pause': '5ms',
  'retry-budget': '10s',
  poller: 'issue',
  auth: 'stored',
  'boot-poller': false,
  agent: ['unguarded', 'guarded'],
  'poll-function': 'PollForMMDSOpts',
  'stack-dump': 'on',
  isolation: 'auto',
  'mmds-close': 'auto',
  'mmds-version': 'V2',
  'guest-memory': '1GiB',
  'guest-cpus': '2',
  'port-range': undefined,
  headroom: false,
  sequential: false,
  repeat: '1',
} satisfies Record<keyof typeof scenarioFlags, unknown> as unknown as Values;

const EXAMPLES: Record<string, readonly string[]> = {
  interval: ['100ms', '50ms,1s', '1m30s', '1e9h', '0.5us', '1ns'],
  outage: ['60s', '24d', '9999h'],
  fault: ['refused@0s,hijack@20s,none@50s', 'flap:5s/1s', 'http-error:503', 'slow:2s', 'slow:1e9s'],
  retry: ['fixed', 'orchestrator'],
  'init-timeout': ['10s', '1us'],
  'retry-pause': ['5ms'],
  'retry-budget': ['10s'],
  poller: ['issue', 'envd'],
  auth: ['stored', 'mmds'],
  agent: ['guarded', 'a=guarded', 'a=/bin/true -x "y z"', 'a=~', "a='", 'a=\\'],
  'poll-function': ['PollForMMDSOpts'],
  'stack-dump': ['on', 'off'],
  'mmds-close': ['agent'],
  'mmds-version': ['V1'],
  'guest-memory': ['1GiB', '64MiB', '1e99TiB', 'host'],
  'guest-cpus': ['2', 'host'],
  'port-range': ['32768-60999', '1024-1024'],
  repeat: ['3', '1000'],
};

/** Texts that other commands read by parsers of their own. */
const PARSERS: Record<string, readonly [readonly string[], (text: string) => unknown]> = {
  '--threshold': [
    [
      'guarded.pollers.peak<=1',
      'guarded.ports.peak<50%',
      'scenario.intervalMs==100ms',
      'a.init.statuses.204>=1',
    ],
    (text) => requireFields(parseThresholds([text]), ['guarded', 'a']),
  ],
  '--max-regression': [
    ['init.latencyMs.p99=10%', 'guarded.pollers.peak=5%'],
    (text) => parseLimits([text]),
  ],
  'plan --interval': [['50ms..5s', '1ms..1ms', '100ms,1s'], (text) => expandIntervals([text])],
  '--max-ports': [['50%', '0.5%'], (text) => parsePlanLimits(limits({ maxPorts: text }))],
  '--max-cpu': [['0.5', '1e9'], (text) => parsePlanLimits(limits({ maxCpu: text }))],
  '--max-pollers': [['600'], (text) => parsePlanLimits(limits({ maxPollers: text }))],
  '--only': [['late-ready', 'late-ready,at-most-one'], (text) => chooseScenarios([text], [])],
  '--pr': [['123'], parsePullRequest],
};

function limits(given: Partial<Parameters<typeof parsePlanLimits>[0]>) {
  const none = { maxPollers: undefined, maxConnectionsPerSecond: undefined };
  return { ...none, maxPorts: undefined, maxCpu: undefined, ...given };
}

const typedText = (examples: readonly string[]) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...examples) },
    { weight: 4, arbitrary: mutatedBytes(examples).map((bytes) => bytes.toString()) },
    { weight: 1, arbitrary: hostileText },
    { weight: 1, arbitrary: hostileNumber.map(String) },
  );

const scenarioInput = fc.record(
  Object.fromEntries(
    Object.entries(EXAMPLES).map(([name, examples]) => [
      name,
      fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, typedText(examples)),
    ]),
  ),
);

const parserInput = fc
  .constantFrom(...Object.keys(PARSERS))
  .chain((name) => fc.tuple(fc.constant(name), typedText(PARSERS[name]?.[0] ?? [])));

/** What is typed as the values of flags. */
export const flagValues = defineTarget({
  name: 'flags',
  input: fc.oneof(scenarioInput, parserInput),
  check(input) {
    try {
      if (Array.isArray(input)) PARSERS[input[0]]?.[1](input[1]);
      else {
        const { interval, agent, ...texts } = input as Record<string, string | undefined>;
        const typed = Object.fromEntries(
          Object.entries(texts).filter(([, text]) => text !== undefined),
        );
        const lists = {
          ...(interval && { interval: [interval] }),
          ...(agent && { agent: [agent] }),
        };
        parseScenarios(scenarioText({ ...defaults, ...typed, ...lists }));
      }
    } catch (thrown) {
      assertRefusal(thrown);
    }
  },
});
