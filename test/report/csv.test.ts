import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { csvCell, renderCsv } from '../../src/report/csv.js';
import type { LaneResult } from '../../src/results/schema.js';
import { injecting, storm, unmeasured } from '../fixtures/results.js';
import { savedResult } from '../fixtures/saved.js';
import { golden } from './golden.js';

/** Reads CSV as RFC 4180 has it. */
function parse(text: string): string[][] {
  const rows: string[][] = [[]];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex;
    const [, inQuotes, bare, end] = cell.exec(text) ?? assert.fail(`no cell at ${at}`);
    rows.at(-1)?.push(inQuotes?.replaceAll('""', '"') ?? bare ?? '');
    if (end === '\r\n') rows.push([]);
  }
  assert.deepEqual(rows.pop(), []);
  return rows;
}

function columnOf(rows: string[][], name: string): string[] {
  const at = rows[0]?.indexOf(name) ?? -1;
  assert.notEqual(at, -1, name);
  return rows.slice(1).map((row) => row[at] ?? '');
}

test('golden: a saved run', async () => {
  golden('saved.csv', renderCsv([await savedResult()]));
});

test('one row a sample of every lane of every result, all as wide as the header', () => {
  const results = [storm(), unmeasured()];
  const rows = parse(renderCsv(results));
  const samples = results.flatMap(({ lanes }) => lanes).flatMap(({ series }) => series.tMs);
  assert.equal(rows.length, 1 + samples.length);
  for (const row of rows) assert.equal(row.length, rows[0]?.length);
  assert.deepEqual(columnOf(rows, 'tMs').map(Number), samples);
});

test('values are those of the result; what was not measured is empty', () => {
  const result = storm();
  const rows = parse(renderCsv([result]));
  const series = result.lanes.map((lane: LaneResult) => lane.series);
  for (const name of ['pollers', 'connectionsPerSecond', 'healthLatencyMs'] as const) {
    const cells = columnOf(rows, name).map((cell) => (cell === '' ? null : Number(cell)));
    assert.deepEqual(
      cells,
      series.flatMap((one) => one[name]),
    );
  }
  assert.ok(columnOf(rows, 'healthLatencyMs').includes(''));
});

test('hostile names stay in their cell, and are no formulas', () => {
  const rows = parse(renderCsv([injecting('=HYPERLINK("https://evil.example"),\r\n"x')]));
  assert.equal(rows.length, 1 + 1200);
  assert.match(columnOf(rows, 'agent')[0] ?? '', /^'=HYPERLINK\("https:\/\/evil\.example"\), "x/);
});

test('any text is one cell that no spreadsheet takes for a formula', () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.constantFrom('=', '+', '-', '@', '\t', '"', ',', '\r', '\n', 'a', '＝'),
      }),
      (text) => {
        const rows = parse(`${csvCell(text)}\r\n`);
        assert.equal(rows.length, 1);
        assert.equal(rows[0]?.length, 1);
        assert.doesNotMatch(rows[0]?.[0] ?? '', /^[=+\-@\t\r\n＝]/);
      },
    ),
  );
});

test('numbers are written alike everywhere', () => {
  assert.equal(csvCell(1234567.5), '1234567.5');
  assert.equal(csvCell(0.12345678), '0.123');
  assert.equal(csvCell(0), '0');
  assert.equal(csvCell(null), '');
});
