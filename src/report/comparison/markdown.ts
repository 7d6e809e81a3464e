import type { Comparison } from '../../results/compare/compare.js';
import type { Row } from '../../results/compare/row.js';
import { type Block, boundedText } from '../markdown/bounded.js';
import { code, prose } from '../markdown/escape.js';
import { MOST_CHARACTERS } from '../markdown.js';
import { COLUMNS, cellsOf, hasFigures } from './cells.js';
import { countsOf, legendOf, outcomeOf, sidesOf, warningsOf } from './summary.js';

const LIMIT = { pass: '✅ pass', fail: '❌ fail', 'not-judged': '⚠️ not judged' } as const;

/**
 * A comparison as a comment on GitHub: what came out, the warnings, the limits, what differs, and
 * folded away all figures. Text from outside takes no effect.
 */
export function renderComparisonMarkdown(comparison: Comparison): string {
  const rows = comparison.rows.filter(hasFigures);
  const found = rows.filter(isFinding);
  const limits = comparison.limits.map(
    ({ expression, label, verdict, reason }) =>
      `- **${LIMIT[verdict]}** ${code(expression)} (${code(label)}): ${prose(reason)}`,
  );
  return boundedText(
    [
      {
        head: [],
        lines: [
          `### envd-bench compare: ${markOf(comparison)} ${outcomeOf(comparison)}`,
          '',
          `${prose(sidesOf(comparison))}: ${prose(countsOf(comparison))}.`,
        ],
        foot: [],
      },
      {
        head: [],
        lines: warningsOf(comparison).map((warning) => `> ⚠️ ${prose(warning)}<br>`),
        foot: [],
      },
      { head: ['**Limits**', ''], lines: limits, foot: [] },
      { ...table(found), foot: [] },
      {
        head: [],
        lines: legendOf(comparison).map((line) => `<sub>${prose(line)}</sub><br>`),
        foot: [],
      },
      {
        ...table(rows, ['<details>', '<summary>All figures</summary>', '']),
        foot: ['', '</details>'],
      },
    ],
    MOST_CHARACTERS,
  );
}

function table(rows: readonly Row[], before: readonly string[] = []): Omit<Block, 'foot'> {
  const names = ['lane', 'metric', ...COLUMNS];
  return {
    head: [...before, line(names), line(names.map((_, i) => (i < 2 ? ':--' : '--:')))],
    lines: rows.map((row) => {
      const cells = COLUMNS.map((column) => prose(cellsOf(row)[column]));
      return line([code(row.label), code(row.metric), ...cells]);
    }),
  };
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** What differs; of too few samples to tell, whatever is not the same. */
function isFinding({ verdict, base, head }: Row): boolean {
  return (
    verdict === 'worse' ||
    verdict === 'better' ||
    verdict === 'different' ||
    (verdict === 'undecided' && base.median !== head.median)
  );
}

function markOf({ limits, rows }: Comparison): string {
  if (limits.some(({ verdict }) => verdict === 'fail')) return '❌';
  if (rows.some(({ verdict }) => verdict === 'worse' || verdict === 'void')) return '⚠️';
  return limits.length > 0 ? '✅' : 'ℹ️';
}
