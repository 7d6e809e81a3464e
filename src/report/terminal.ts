import type { View } from './layout.js';

/** A stream that may be a terminal, such as `process.stderr`. */
export type OutputStream = NodeJS.WritableStream & {
  columns?: number | undefined;
  rows?: number | undefined;
};

export interface Terminal extends View {
  rows: number;
  /** Whether the cursor can be moved, so that a picture can be redrawn in place. */
  live: boolean;
}

/** The width of text that goes to a file or a pipe, where `COLUMNS` says nothing else. */
const FILE_COLUMNS = 120;

/**
 * What a stream can show. Colours and redrawing need a terminal; `NO_COLOR` (https://no-color.org)
 * and `TERM=dumb` forbid them. Characters beyond ASCII need a UTF-8 locale.
 */
export function terminalOf(
  stream: Pick<OutputStream, 'columns' | 'rows'>,
  { isTTY, env }: { isTTY: boolean; env: NodeJS.ProcessEnv },
): Terminal {
  const capable = isTTY && env.TERM !== 'dumb';
  // Terminals that do not know their own size (some containers') say 0.
  const sized = stream.columns !== 0 && stream.rows !== 0;
  const asked = /^[1-9]\d{0,3}$/.test(env.COLUMNS ?? '') ? Number(env.COLUMNS) : undefined;
  return {
    columns: isTTY ? stream.columns || 80 : (asked ?? FILE_COLUMNS),
    rows: stream.rows || 24,
    color: capable && !env.NO_COLOR,
    unicode: /utf-?8/i.test(env.LC_ALL || env.LC_CTYPE || env.LANG || ''),
    live: capable && sized,
  };
}
