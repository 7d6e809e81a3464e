import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { UsageError } from '../../../src/base/errors.js';
import { loadSide } from '../../../src/results/compare/load.js';
import { saveResult } from '../../../src/results/store.js';
import { run } from './runs.js';

const dir = mkdtempSync(join(tmpdir(), 'envd-bench-compare-'));
after(() => rmSync(dir, { recursive: true, force: true }));

async function saved(folder: string, count: number): Promise<string[]> {
  mkdirSync(join(dir, folder), { recursive: true });
  const files: string[] = [];
  for (let i = 0; i < count; i++) files.push(await saveResult(join(dir, folder), run()));
  return files;
}

test('a side is a file, a folder, or a comma list of both', async () => {
  const [one = '', two = ''] = await saved('a', 2);
  const [other = ''] = await saved('with, comma', 1);
  writeFileSync(join(dir, 'a', '.hidden.json'), 'not a result');
  writeFileSync(join(dir, 'a', 'README.md'), 'not a result');
  const count = async (side: string) => (await loadSide(side, 'BASE')).results.length;
  assert.equal(await count(one), 1);
  assert.equal(await count(`${one},${two}`), 2);
  assert.equal(await count(join(dir, 'a')), 2);
  assert.equal(await count(other), 1);
  assert.equal(await count(join(dir, 'with, comma')), 1);
});

test('runs in a folder that have no result are told of, but for those that have one too', async () => {
  const [file = ''] = await saved('cut', 2);
  const folder = join(dir, 'cut');
  assert.deepEqual((await loadSide(folder, 'BASE')).warnings, []);
  const journal = (id: string) => join(folder, `${id}.partial.jsonl`);
  writeFileSync(journal(basename(file, '.json')), '');
  assert.deepEqual((await loadSide(folder, 'BASE')).warnings, []);
  writeFileSync(journal('20250101T000000.000Z-aaaaaaaaaaaa'), '');
  const { results, warnings } = await loadSide(folder, 'BASE');
  assert.equal(results.length, 2);
  assert.equal(warnings.length, 1);
  assert.match(
    warnings[0] ?? '',
    /^a run in ".*cut" without a result, cut off or still going.*report ".*cut\/20250101T\S+\.partial\.jsonl" --json/,
  );
});

const refused: [comment: string, side: () => Promise<string>, says: RegExp][] = [
  ['a missing file', async () => join(dir, 'none.json'), /no such file/],
  ['an empty part', async () => `${(await saved('b', 1))[0]},`, /HEAD is empty/],
  ['nothing', async () => '', /HEAD is empty/],
  [
    'a folder without results',
    async () => {
      mkdirSync(join(dir, 'empty'));
      return join(dir, 'empty');
    },
    /no result in/,
  ],
  [
    'a folder with runs that were all cut off',
    async () => {
      mkdirSync(join(dir, 'cut-off'));
      writeFileSync(join(dir, 'cut-off', '20250101T000000.000Z-aaaaaaaaaaaa.partial.jsonl'), '');
      return join(dir, 'cut-off');
    },
    /no result in .*A run was cut off there: envd-bench report ".*\/20250101T\S+" --json/,
  ],
  [
    'one file twice: no sample of its own',
    async () => {
      const [file] = await saved('c', 1);
      return `${file},${file}`;
    },
    /twice/,
  ],
  [
    'a folder with something else in it',
    async () => {
      await saved('d', 1);
      writeFileSync(join(dir, 'd', 'package.json'), '{}');
      return join(dir, 'd');
    },
    /not a result/,
  ],
];
for (const [comment, side, says] of refused) {
  test(`no side: ${comment}`, async () => {
    const text = await side();
    await assert.rejects(loadSide(text, 'HEAD'), (thrown) => {
      assert.ok(thrown instanceof UsageError);
      assert.match(thrown.message, says);
      assert.doesNotMatch(thrown.message, /\n/);
      return true;
    });
  });
}
