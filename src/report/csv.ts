import { cleanText } from '../base/text.js';
import type { LaneResult, Result } from '../results/schema.js';
import { SERIES } from '../results/thin.js';

/** What a spreadsheet takes for a formula (OWASP, "CSV Injection"), fullwidth twins included. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

const COLUMNS = ['id', 'repeat', 'intervalMs', 'fault', 'agent', 'guard', 'tMs', ...SERIES];

/**
 * Results as CSV (RFC 4180), one row a sample. The header has the names of the result document,
 * which say the units; latencies are the longest since the sample before. A cell is empty where
 * nothing was measured. Numbers have a decimal point whatever the machine's language is.
 */
export function renderCsv(results: readonly Result[]): string {
  const rows = results.flatMap((result) => result.lanes.flatMap((lane) => laneRows(result, lane)));
  return [COLUMNS, ...rows].map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
}

function laneRows({ id, scenario }: Result, { agent, guard, series }: LaneResult): Cell[][] {
  const { intervalMs, fault, repeat } = scenario;
  return series.tMs.map((t, i) => [
    id,
    repeat.index,
    intervalMs,
    fault,
    agent,
    guard,
    t,
    ...SERIES.map((name) => series[name][i] ?? null),
  ]);
}

type Cell = string | number | null;

/** A cell: quoted where it must be, and never a formula. */
export function csvCell(cell: Cell): string {
  if (cell === null) return '';
  // Clocks give more digits than they know: 1 µs is fine enough for all of them.
  if (typeof cell === 'number') return String(Number(cell.toFixed(3)));
  const plain = cleanText(cell, 1000);
  const safe = FORMULA.test(plain) ? `'${plain}` : plain;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
