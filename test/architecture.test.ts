import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';

/** Which rooms a room may import from, besides itself. Data goes one way: nothing imports upwards. */
const MAY_USE: Record<string, readonly string[]> = {
  base: [],
  results: ['base'],
  model: ['base'],
  observe: ['base'],
  report: ['base', 'results'],
  github: ['base'],
  planning: ['base', 'results', 'model'],
  agents: ['base'],
  mmds: ['base'],
  orchestrator: ['base', 'results'],
  lane: ['base', 'results', 'observe', 'agents', 'mmds', 'orchestrator'],
  verify: ['base', 'results', 'observe', 'agents', 'mmds', 'orchestrator', 'lane'],
  experiment: ['base', 'results', 'model', 'lane', 'agents', 'mmds', 'orchestrator', 'observe'],
  commands: [
    'base',
    'results',
    'model',
    'planning',
    'report',
    'github',
    'agents',
    'mmds',
    'orchestrator',
    'experiment',
    'verify',
  ],
};

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && file.includes('/'),
);

for (const file of files) {
  test(`imports of src/${file}`, () => {
    const room = file.split('/')[0] ?? '';
    const allowed = MAY_USE[room];
    assert.ok(allowed, `${room} is no room of src/`);
    const text = readFileSync(join('src', file), 'utf8');
    for (const [, target = ''] of text.matchAll(/(?:from |import\()'(\.[^']+)'/g)) {
      const other = normalize(join(dirname(file), target)).split('/')[0] ?? '';
      assert.ok(other === room || allowed.includes(other), `${room} must not use ${other}`);
    }
  });
}
