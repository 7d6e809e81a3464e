import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { commands, loadCommands } from '../../src/commands/index.js';

const bin = fileURLToPath(new URL('../../../bin/run.js', import.meta.url));

test('only the command that was typed is loaded; all of them where none is known', async () => {
  await loadCommands('agent');
  assert.deepEqual(Object.keys(commands), ['agent']);
  await loadCommands('toString');
  const all = Object.keys(commands).sort();
  assert.ok(all.length > 1);
  await loadCommands(undefined);
  assert.deepEqual(Object.keys(commands).sort(), all);
  for (const command of Object.values(commands)) assert.ok(command.summary);
});

test('--version says what the help says', () => {
  const say = (flag: string) => spawnSync(process.execPath, [bin, flag], { encoding: 'utf8' });
  const version = say('--version');
  assert.equal(version.status, 0);
  assert.match(version.stdout, /^envd-bench\/\d+\.\d+\.\d+ linux-\S+ node-v\S+\n$/);
  assert.ok(say('--help').stdout.includes(`VERSION\n  ${version.stdout}`));
});
