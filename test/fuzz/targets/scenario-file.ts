import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { fromScenarioFile, scenarioText } from '../../../src/commands/scenario-flags.js';
import { parseScenarios } from '../../../src/experiment/scenario.js';
import { assertRefusal, mutated, mutatedBytes } from '../hostile.js';
import { defineTarget } from '../target.js';
import { defaults } from './flags.js';

const scenario = {
  interval: ['100ms'],
  outage: '10s',
  fault: 'refused@0s,slow:2s@5s,none@9s',
  agent: ['unguarded', 'mine=guarded'],
  'boot-poller': true,
  'guest-memory': '1GiB',
  'port-range': '32768-60999',
  repeat: '2',
};
const folder = mkdtempSync(join(tmpdir(), 'fuzz-scenario-'));

/** `run --scenario FILE`. */
export const scenarioFiles = defineTarget({
  name: 'scenario-file',
  input: fc.oneof(
    mutated(scenario).map((one) => Buffer.from(JSON.stringify(one))),
    mutatedBytes([JSON.stringify(scenario)]),
  ),
  check(bytes) {
    const file = join(folder, 'scenario.json');
    writeFileSync(file, bytes);
    try {
      const flags = fromScenarioFile(
        { ...defaults, scenario: file },
        {
          interval: { setFromDefault: true },
        },
      );
      parseScenarios(scenarioText(flags));
    } catch (thrown) {
      assertRefusal(thrown);
    }
  },
  close: async () => rmSync(folder, { recursive: true }),
});
