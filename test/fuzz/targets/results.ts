import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { UsageError } from '../../../src/base/errors.js';
import { parseFaultSchedule } from '../../../src/mmds/schedule.js';
import { calibrate } from '../../../src/planning/calibrate.js';
import { checkResult } from '../../../src/planning/check.js';
import { COMPARISON_FORMATS } from '../../../src/report/comparison/index.js';
import { REPORT_FORMATS } from '../../../src/report/index.js';
import { renderPlanCheck, renderPlanCheckMarkdown } from '../../../src/report/plan/check.js';
import { compareResults } from '../../../src/results/compare/compare.js';
import type { Calibration } from '../../../src/results/plan.js';
import { type Result, resultSchema } from '../../../src/results/schema.js';
import { loadResult } from '../../../src/results/store.js';
import { SAVED } from '../../fixtures/saved.js';
import {
  assertInertMarkdown,
  assertNoTags,
  assertPlain,
  assertRefusal,
  mutated,
  mutatedBytes,
} from '../hostile.js';
import { defineTarget } from '../target.js';

const saved = thinned(JSON.parse(readFileSync(SAVED, 'utf8')));
const text = JSON.stringify(saved);
const folder = mkdtempSync(join(tmpdir(), 'fuzz-results-'));
const view = { columns: 80, color: false, unicode: true };

/** A few samples are enough, and leave the walk through the document more of the rest. */
function thinned(result: Result): Result {
  const few = <T>(values: readonly T[]): T[] => values.slice(0, 5);
  return {
    ...result,
    lanes: result.lanes.map((lane) => ({
      ...lane,
      series: Object.fromEntries(
        Object.entries(lane.series).map(([name, values]) => [name, few(values as number[])]),
      ) as Result['lanes'][number]['series'],
    })),
  };
}

/** Result files: `report`, `compare`, `comment`, `plan --from` and `--check`. */
export const results = defineTarget({
  name: 'results',
  input: fc.oneof(
    {
      weight: 4,
      arbitrary: mutated(saved).map((document) => Buffer.from(JSON.stringify(document))),
    },
    { weight: 1, arbitrary: mutatedBytes([text, text.replace('{', '{"__proto__":{"lanes":[]},')]) },
  ),
  async check(bytes) {
    const file = join(folder, 'result.json');
    writeFileSync(file, bytes);
    let result: Result;
    try {
      result = await loadResult(file);
    } catch (thrown) {
      assertRefusal(thrown);
      return;
    }
    for (const [name, { render }] of REPORT_FORMATS) {
      const shown = render(result, view);
      // JSON keeps what was there, escaped by itself.
      if (name === 'json') JSON.parse(shown);
      else if (name === 'html') assertNoTags(shown);
      // Its lines end as RFC 4180 has it.
      else if (name === 'csv') assertPlain(shown.replaceAll('\r\n', '\n'));
      else assertPlain(shown);
      if (name === 'markdown') assertInertMarkdown(shown);
    }
    compared(result);
    checked(result);
  },
  close: async () => rmSync(folder, { recursive: true }),
});

function compared(result: Result): void {
  const head = { ...resultSchema.parse(saved), id: 'other' };
  try {
    const comparison = compareResults([result], [head], { alpha: 0.05, force: true, limits: [] });
    for (const [name, { render }] of COMPARISON_FORMATS) {
      if (name !== 'json') assertPlain(render(comparison, view));
    }
  } catch (thrown) {
    assertRefusal(thrown);
  }
}

function checked(result: Result): void {
  const readFaults = (faults: string) =>
    parseFaultSchedule(faults, 'fault').map(({ atMs, fault }) => ({ atMs, ...fault }));
  let calibration: Calibration | null = null;
  try {
    calibration = calibrate([result], readFaults);
    if (
      /null/.test(
        JSON.stringify([calibration.attemptsPerSecondSeen, calibration.leastShareOfDemand]),
      )
    )
      throw new Error(`no figures: ${JSON.stringify(calibration)}`);
  } catch (thrown) {
    assertRefusal(thrown);
  }
  try {
    const lanes = checkResult(result, readFaults, calibration);
    const check = {
      schema: 'envd-bench/plan-check/v1',
      tool: { version: '1' },
      calibration,
      lanes,
    } as const;
    assertPlain(renderPlanCheck(check, view));
    assertPlain(renderPlanCheckMarkdown(check));
    assertInertMarkdown(renderPlanCheckMarkdown(check));
  } catch (thrown) {
    if (!(thrown instanceof UsageError)) throw thrown;
    assertRefusal(thrown);
  }
}
