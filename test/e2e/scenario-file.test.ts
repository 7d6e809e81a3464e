import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { resultSchema } from '../../src/results/schema.js';
import { run } from './cli.js';
import { install } from './install.js';

const { bin, out } = install();

function scenario(text: string): string {
  const file = join(out, 'scenario.json');
  writeFileSync(file, text);
  return file;
}

test('a scenario file in the place of defaults; what is typed goes first', async () => {
  const file = scenario(
    JSON.stringify({
      interval: '200ms',
      outage: '9m',
      poller: 'envd',
      agent: ['mine=guarded'],
      'boot-poller': true,
    }),
  );
  const { code, stdout, stderr } = await run(
    [bin, 'run', '--scenario', file, '--outage', '1s', '--json', '--out', out],
    { cwd: out },
  );
  assert.equal(code, 0, stderr);
  const { scenario: record, lanes } = resultSchema.parse(JSON.parse(stdout));
  assert.equal(record.intervalMs, 200);
  assert.equal(record.outageMs, 1_000);
  assert.equal(record.poller, 'envd');
  assert.equal(record.bootPoller, true);
  assert.deepEqual(
    lanes.map(({ agent, guard }) => [agent, guard]),
    [['mine', 'guarded']],
  );
  const [{ process } = assert.fail('no lane')] = lanes;
  assert.ok(process.overTime && process.overTime.tMs.length >= 2);
  assert.equal(process.overTime.rssBytes.length, process.overTime.tMs.length);
});

const bad: [string, RegExp][] = [
  ['', /cannot read the scenario/],
  ['[1]', /is not a JSON object/],
  ['{"intervall": "1s"}', /Did you mean interval\?/],
  ['{"interval": 100}', /interval in the scenario must be a text or a list/],
  ['{"interval": "100"}', /100s or 100ms\?/],
  ['{"boot-poller": "yes"}', /boot-poller in the scenario must be true or false/],
  ['{"outage": "0s"}', /--outage must be more than 0/],
];
for (const [text, expected] of bad) {
  test(`scenario ${text}`, async () => {
    const { code, stderr } = await run([bin, 'run', '--scenario', scenario(text), '--out', out], {
      cwd: out,
    });
    assert.equal(code, 2, stderr);
    assert.match(stderr, expected);
    assert.equal(stderr.trimEnd().split('\n').length, 1);
  });
}
