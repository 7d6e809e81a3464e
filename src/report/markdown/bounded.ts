/** Lines that belong together, e.g. a table: they may be cut at the end, but always have the rest. */
export interface Block {
  /** What stands before the lines; left out together with them. */
  head: readonly string[];
  lines: readonly string[];
  /** What must stand after the lines, however many of them are shown. */
  foot: readonly string[];
}

const CUT = '*Cut here: the whole does not fit. It is in the result file.*';

/**
 * Joins blocks, with an empty line between them, into a text of at most `limit` characters. What
 * does not fit is cut between two lines, and the text says so.
 */
export function boundedText(blocks: readonly Block[], limit: number): string {
  let text = '';
  for (const block of blocks) {
    if (block.lines.length === 0) continue;
    const whole = textOf(block, block.lines.length);
    if (text.length + whole.length + CUT.length + 2 > limit) {
      const room = limit - text.length - CUT.length - 2;
      return `${text}${textOf(block, fitting(block, room))}${CUT}\n`;
    }
    text += whole;
  }
  return text.replace(/\n+$/, '\n');
}

function textOf({ head, lines, foot }: Block, shown: number): string {
  return shown === 0 ? '' : `${[...head, ...lines.slice(0, shown), ...foot].join('\n')}\n\n`;
}

/** How many lines of a block fit into so many characters. */
function fitting(block: Block, room: number): number {
  let size = textOf({ ...block, lines: [''] }, 1).length - 1;
  let shown = 0;
  for (const line of block.lines) {
    size += line.length + 1;
    if (size > room) break;
    shown++;
  }
  return shown;
}
