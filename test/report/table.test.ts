import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { UsageError } from '../../src/base/errors.js';
import { lookUp } from '../../src/base/nearest.js';
import { REPORT_FORMATS } from '../../src/report/index.js';
import { displayWidth, type View } from '../../src/report/layout.js';
import { renderTable } from '../../src/report/table.js';
import { resultSchema } from '../../src/results/schema.js';
import { hostile, partial, storm, threeLanes, unmeasured } from '../fixtures/results.js';
import { savedResult } from '../fixtures/saved.js';
import { golden } from './golden.js';

const ESC = '\u001B';
const COLOR = new RegExp(`${ESC}\\[\\d+m`, 'g');

const fixtures = { storm, partial, unmeasured, threeLanes, hostile };
const plain: View = { columns: 80, color: false, unicode: true };

for (const columns of [40, 80, 140]) {
  test(`golden: the storm at ${columns} columns`, () => {
    golden(`table-storm-${columns}.txt`, renderTable(storm(), { ...plain, columns }));
    golden(
      `table-storm-${columns}-color.txt`,
      renderTable(storm(), { ...plain, columns, color: true }),
    );
  });
}
test('golden: a saved run', async () => {
  golden('saved-table.txt', renderTable(await savedResult(), { ...plain, columns: 120 }));
});
test('golden: interrupted, with few samples', () => {
  golden('table-partial-80.txt', renderTable(partial(), plain));
});
test('golden: a lane of which nothing was measured', () => {
  golden('table-unmeasured-80.txt', renderTable(unmeasured(), plain));
});
test('golden: three lanes have no ratio', () => {
  golden('table-three-lanes-140.txt', renderTable(threeLanes(), { ...plain, columns: 140 }));
});
test('golden: hostile text', () => {
  golden('table-hostile-80.txt', renderTable(hostile(), plain));
});
test('golden: an ASCII terminal', () => {
  golden('table-hostile-80-ascii.txt', renderTable(hostile(), { ...plain, unicode: false }));
});

test('at any width: no line is too long, no control character, colour only when asked for', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...Object.values(fixtures)),
      fc.record({
        columns: fc.integer({ min: 20, max: 300 }),
        color: fc.boolean(),
        unicode: fc.boolean(),
      }),
      (fixture, view) => {
        const text = renderTable(fixture(), view);
        assert.ok(text.endsWith('\n') && !text.endsWith('\n\n'));
        for (const line of text.split('\n')) {
          assert.ok(displayWidth(line) <= view.columns, `${displayWidth(line)}: ${line}`);
        }
        assert.equal(text.includes(ESC), view.color);
        // Nothing but colours, of which each ends on its own line.
        assert.doesNotMatch(text.replace(COLOR, '').replaceAll('\n', ''), /[\p{Cc}\p{Cf}]/u);
        for (const line of text.split('\n')) {
          assert.equal((line.match(COLOR) ?? []).length % 2, 0, JSON.stringify(line));
        }
        if (!view.unicode) assert.match(text, /^\p{ASCII}*$/u);
        assert.doesNotMatch(text, /NaN|Infinity|undefined|\[object|null/);
      },
    ),
    { numRuns: 150 },
  );
});

test('colour changes nothing but colour', () => {
  for (const fixture of Object.values(fixtures)) {
    for (const columns of [40, 80, 140]) {
      const view = { ...plain, columns };
      const colored = renderTable(fixture(), { ...view, color: true });
      assert.equal(stripVTControlCharacters(colored), renderTable(fixture(), view));
    }
  }
});

test('a result without claims, checks and notes has no such sections', () => {
  const text = renderTable(unmeasured(), plain);
  assert.doesNotMatch(text, /Claims|Checks|note/);
});

test('the formats are found by name, a wrong one by its nearest', () => {
  assert.equal(
    lookUp('format', 'table', REPORT_FORMATS).render(storm(), plain),
    renderTable(storm(), plain),
  );
  const json = lookUp('format', 'json', REPORT_FORMATS).render(hostile(), plain);
  assert.deepEqual(resultSchema.parse(JSON.parse(json)), hostile());
  assert.throws(() => lookUp('format', 'tabel', REPORT_FORMATS), UsageError);
});
