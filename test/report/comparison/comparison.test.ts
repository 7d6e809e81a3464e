import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { COMPARISON_FORMATS } from '../../../src/report/comparison/index.js';
import { renderComparisonMarkdown } from '../../../src/report/comparison/markdown.js';
import { renderComparisonTable } from '../../../src/report/comparison/table.js';
import { displayWidth, type View } from '../../../src/report/layout.js';
import { type Comparison, compareResults } from '../../../src/results/compare/compare.js';
import { parseLimits } from '../../../src/results/compare/limits.js';
import { hostile } from '../../fixtures/results.js';
import { elsewhere, run, withExhaustion, withLatencies } from '../../results/compare/runs.js';

/** Compares with test/golden/NAME; `UPDATE_GOLDEN=1` writes it instead. */
function golden(name: string, text: string): void {
  const file = join(process.cwd(), 'test/golden', name);
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(file, text);
  assert.equal(text, readFileSync(file, 'utf8'));
}

const view: View = { columns: 120, color: false, unicode: true };
const options = { alpha: 0.05, force: false, limits: [] };

/** Ids are counted on from test to test; they are of no interest here. */
function repeats(): Comparison {
  return compareResults(withLatencies(1, 2, 3, 4), withLatencies(21, 22, 23, 24), {
    ...options,
    limits: parseLimits(['init.latencyMs.p99=10%', 'pollers.peak=0%']),
  });
}

function machines(): Comparison {
  const head = withExhaustion(12_300).map((result) => elsewhere(result, { cpus: 4 }));
  return compareResults([run()], head, options);
}

for (const columns of [60, 100, 120]) {
  test(`golden: repeats at ${columns} columns`, () => {
    golden(
      `compare-repeats-${columns}.txt`,
      renderComparisonTable(repeats(), { ...view, columns }),
    );
  });
}
test('golden: one sample a side, on different machines', () => {
  golden('compare-machines-120.txt', renderComparisonTable(machines(), view));
});
test('golden: markdown', () => {
  golden('compare-repeats.md', renderComparisonMarkdown(repeats()));
  golden('compare-machines.md', renderComparisonMarkdown(machines()));
});

test('every line fits, in colour or not, in ASCII or not, whatever the lanes are called', () => {
  const evil = { ...hostile(), complete: true };
  const comparisons = [repeats(), machines(), compareResults([evil], [evil], options)];
  for (const comparison of comparisons) {
    for (const columns of [20, 40, 80, 200]) {
      for (const color of [true, false]) {
        for (const unicode of [true, false]) {
          const text = renderComparisonTable(comparison, { columns, color, unicode });
          for (const line of text.split('\n')) {
            assert.ok(displayWidth(line) <= columns, `${columns}: ${line}`);
          }
          if (!color) assert.ok(!text.includes('\u001B'));
          if (!unicode) assert.match(text, /^\p{ASCII}*$/u);
        }
      }
    }
  }
});

test('no text from outside takes effect in markdown', () => {
  const evil = '</summary><script>x</script> | @everyone #1 ![i](http://x.example) `code` **b**';
  const named = () =>
    run({
      unguarded: (lane) => ({ ...lane, agent: evil, trouble: evil }),
      result: (result) => ({ ...result, machine: { ...result.machine, kernel: evil } }),
    });
  const head = run({ unguarded: (lane) => ({ ...lane, agent: evil, trouble: evil }) });
  const text = renderComparisonMarkdown(compareResults([named()], [head], options));
  // Code spans are left alone by GitHub, as long as nothing in them ends them.
  const outside = text.replaceAll(/`[^`\n]*`/g, '');
  assert.doesNotMatch(outside, /<script|@everyone|#1\b|!\[|\*\*b\*\*|http:\/\/x/);
  const columns = text.split('\n').filter((line) => line.startsWith('| '));
  for (const line of columns) assert.equal(line.split('|').length, 10, line);
});

test('JSON has no number that JSON has not: what never happened is null', () => {
  const text = COMPARISON_FORMATS.get('json')?.render(machines(), view) ?? '';
  const document = JSON.parse(text) as Comparison;
  assert.equal(document.schema, 'envd-bench/compare/v1');
  const row = document.rows.find(
    ({ label, metric }) => label === 'guarded' && metric === 'ports.exhaustedAtMs',
  );
  assert.deepEqual([row?.base.values, row?.head.values], [[null], [12_300]]);
  assert.doesNotMatch(text, /NaN|Infinity/);
});

test('no figure is ever NaN, infinite or "percent worse"', () => {
  for (const comparison of [repeats(), machines()]) {
    for (const { render } of COMPARISON_FORMATS.values()) {
      assert.doesNotMatch(render(comparison, view), /NaN|Infinity|undefined|% worse/);
    }
  }
});
