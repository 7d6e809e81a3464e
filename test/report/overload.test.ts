import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderHtml } from '../../src/report/html.js';
import { renderMarkdown } from '../../src/report/markdown.js';
import { renderMatrix, renderMatrixMarkdown } from '../../src/report/matrix.js';
import { rowsOf } from '../../src/report/rows.js';
import { renderTable } from '../../src/report/table.js';
import { MATRIX_SCHEMA, type Matrix } from '../../src/results/matrix.js';
import type { LaneResult, Overload, Result } from '../../src/results/schema.js';
import { storm } from '../fixtures/results.js';

const LEGEND = /the tool or the machine could not follow: see the notes/;
const view = { columns: 100, color: false, unicode: true };

/** The storm with its first lane overloaded. */
function overloaded(...overload: Overload[]): Result {
  const result = storm();
  const lanes = result.lanes.map((lane, i) => (i === 0 ? { ...lane, overload } : lane));
  return { ...result, lanes };
}

function markedRows(overload: Overload, change: Partial<LaneResult> = {}): string[] {
  const [lane] = overloaded(overload).lanes;
  assert.ok(lane);
  const one = { ...lane, ...change };
  return rowsOf([one])
    .filter(({ cell }) => cell(one).endsWith(' !'))
    .map(({ label }) => label);
}

test('each overload marks the figures that it spoils, and no other', () => {
  const latencies = ['/init p50/p99/max', '/health p50/p99/max'];
  const ports = ['ports peak', 'ports exhausted at', 'TIME_WAIT peak'];
  const attempts = ['connections/s peak', 'connections total', ...ports];
  const sorted = (labels: string[]) => [...labels].sort();
  assert.deepEqual(sorted(markedRows('driver')), sorted([...latencies, 'driver slip p99/max']));
  assert.deepEqual(sorted(markedRows('samples')), sorted(['connections/s peak', ...ports]));
  assert.deepEqual(sorted(markedRows('agent')), sorted([...attempts, ...latencies]));
  assert.deepEqual(sorted(markedRows('mmds')), sorted(attempts));
  // Pollers that are told from the sockets, not by the agent, are missed between samples.
  const pollers = { peak: 600, spawned: null, atEnd: null, source: 'kernel' as const };
  assert.ok(markedRows('samples', { pollers }).includes('pollers peak'));
});

test('a run that went well has no mark and no legend, in any format', () => {
  const result = storm();
  assert.ok(
    rowsOf(result.lanes).every(({ cell }) =>
      result.lanes.every((lane) => !cell(lane).includes('!')),
    ),
  );
  for (const text of [renderTable(result, view), renderMarkdown([result]), renderHtml([result])]) {
    assert.doesNotMatch(text, LEGEND);
  }
});

test('the mark and its legend are in table, markdown and html, on claims too', () => {
  const result = overloaded('agent', 'driver');
  const table = renderTable(result, view);
  assert.match(table, /connections\/s peak +│ 23,812\/s \[24,000\] ! │/);
  assert.match(table, LEGEND);
  assert.match(table, /\(unguarded !\)/);
  assert.doesNotMatch(table, /\(guarded !\)/);
  const narrow = renderTable(result, { ...view, columns: 40, unicode: false });
  assert.match(narrow, /unguarded: 23,812\/s \[24,000\] !/);
  const markdown = renderMarkdown([result]);
  assert.match(markdown, /23,812\/s &#91;24,000&#93; &#33;/);
  assert.match(markdown, LEGEND);
  assert.match(markdown, /1 lane overloaded: see the notes/);
  const html = renderHtml([result]);
  assert.match(html, /<td>23,812\/s \[24,000\] !<\/td>/);
  assert.match(html, LEGEND);
});

test('the matrix marks its figures and names what was overloaded', () => {
  const { lanes, claims, machine, tool, startedAt, id } = overloaded('agent');
  const matrix: Matrix = {
    schema: MATRIX_SCHEMA,
    id,
    startedAt,
    complete: true,
    tool,
    machine,
    options: { faults: [], retries: [], pollers: [], scenario: {} },
    isolation: 'netns',
    cells: [{ fault: 'refused', retry: 'fixed', poller: 'issue', lanes, claims }],
  };
  for (const text of [renderMatrix(matrix, view), renderMatrixMarkdown(matrix)]) {
    assert.match(text, /23,812\/s \[24,000\] !/);
    assert.match(text, /could not follow: refused\/fixed\/issue unguarded \(agent\)/);
    // The claims on the unguarded lane, and not the one on both.
    assert.match(text, /✔ 600 ! +[│|] ✘ ! +[│|] – +[│|]/);
  }
});

test('names in a matrix file take no effect in a terminal or in markdown', () => {
  const { lanes, claims, machine, tool, startedAt, id } = overloaded('agent');
  const agent = '\u001b[31m<b>|@all';
  const cell = { fault: '\u001b]0;x\u0007', retry: '<img>', poller: '[a](b)' };
  const matrix: Matrix = {
    ...{ schema: MATRIX_SCHEMA, id, startedAt, complete: true, tool, machine },
    options: { faults: [], retries: [], pollers: [], scenario: {} },
    isolation: 'netns',
    cells: [{ ...cell, lanes: lanes.map((lane) => ({ ...lane, agent })), claims }],
  };
  for (const text of [renderMatrix(matrix, view), renderMatrixMarkdown(matrix)]) {
    assert.doesNotMatch(text.replaceAll('\n', ''), /\p{Cc}/u);
  }
  assert.doesNotMatch(renderMatrixMarkdown(matrix), /<b>|<img>|@all|\[a\]\(b\)/);
});
