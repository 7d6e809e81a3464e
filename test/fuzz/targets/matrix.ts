import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { cellsLeft, cellsOf } from '../../../src/experiment/matrix.js';
import { renderMatrix, renderMatrixMarkdown } from '../../../src/report/matrix.js';
import { MATRIX_SCHEMA, type Matrix, matrixSchema } from '../../../src/results/matrix.js';
import { loadDocument } from '../../../src/results/store.js';
import { SAVED } from '../../fixtures/saved.js';
import {
  assertInertMarkdown,
  assertPlain,
  assertRefusal,
  mutated,
  mutatedBytes,
} from '../hostile.js';
import { defineTarget } from '../target.js';

const { lanes, claims, machine, id, startedAt, tool } = JSON.parse(readFileSync(SAVED, 'utf8'));
const choice = { fault: 'refused', retry: 'fixed', poller: 'envd' };
const matrix = {
  ...{ schema: MATRIX_SCHEMA, id, startedAt, complete: false, tool, machine, isolation: 'netns' },
  options: { faults: ['refused', 'hang'], retries: ['fixed'], pollers: ['envd'], scenario: {} },
  cells: [
    { ...choice, lanes: lanes.map((lane: object) => ({ ...lane, series: emptySeries() })), claims },
    { ...choice, fault: 'hang', lanes: [], claims: [], skipped: 'not here' },
  ],
};
const folder = mkdtempSync(join(tmpdir(), 'fuzz-matrix-'));

function emptySeries() {
  const nothing = { tMs: [], pollers: [], connectionsPerSecond: [], portsInUse: [] };
  return { ...nothing, timeWait: [], initLatencyMs: [], healthLatencyMs: [] };
}

/** The document of `matrix --resume`. */
export const matrixFiles = defineTarget({
  name: 'matrix',
  input: fc.oneof(
    { weight: 4, arbitrary: mutated(matrix).map((one) => Buffer.from(JSON.stringify(one))) },
    { weight: 1, arbitrary: mutatedBytes([JSON.stringify(matrix)]) },
  ),
  async check(bytes) {
    const file = join(folder, 'matrix.json');
    writeFileSync(file, bytes);
    let read: Matrix;
    try {
      read = await loadDocument(file, MATRIX_SCHEMA, matrixSchema);
    } catch (thrown) {
      assertRefusal(thrown);
      return;
    }
    const { faults, retries, pollers } = read.options;
    cellsLeft(cellsOf(faults, retries, pollers), read);
    assertPlain(renderMatrix(read, { columns: 100, color: false, unicode: true }));
    const markdown = renderMatrixMarkdown(read);
    assertPlain(markdown);
    assertInertMarkdown(markdown);
  },
  close: async () => rmSync(folder, { recursive: true }),
});
