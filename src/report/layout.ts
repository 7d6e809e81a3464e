import { stripVTControlCharacters } from 'node:util';

/** How and where text is shown. */
export interface View {
  /** Width in terminal cells. */
  columns: number;
  /** Whether colour escapes may be used. */
  color: boolean;
  /** Whether characters beyond ASCII may be used. */
  unicode: boolean;
}

export type Color = 'bold' | 'dim' | 'red' | 'green' | 'yellow';

const SGR: Record<Color, [number, number]> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
};

/** Colours a text, or leaves it as it is where no colour is wanted. */
export function paint(text: string, color: Color, view: Pick<View, 'color'>): string {
  if (!view.color || text === '') return text;
  const [on, off] = SGR[color];
  return `\u001B[${on}m${text}\u001B[${off}m`;
}

/** Ranges that terminals draw two cells wide (Unicode, East Asian Width), and emoji. */
const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|[\u{20000}-\u{3FFFD}]/u;
const MARK = /\p{M}/u;

/** How many terminal cells a line takes; colour escapes take none. */
export function displayWidth(line: string): number {
  let width = 0;
  for (const character of stripVTControlCharacters(line)) width += cells(character);
  return width;
}

/** Cuts a plain line (without escapes) to a width; what is cut is marked by `…`. */
export function truncate(line: string, width: number): string {
  if (displayWidth(line) <= width) return line;
  return `${headOf(line, Math.max(0, width - 1))}…`;
}

/** Adds spaces up to a width. */
export function padEnd(line: string, width: number): string {
  return line + ' '.repeat(Math.max(0, width - displayWidth(line)));
}

/** Adds spaces before a text, up to a width. */
export function padStart(line: string, width: number): string {
  return ' '.repeat(Math.max(0, width - displayWidth(line))) + line;
}

/**
 * Breaks a plain text (without escapes) into lines of at most `width` cells: at spaces, and inside
 * a word only where the word alone is too long.
 * @param indent what the lines after the first begin with
 */
export function wrap(text: string, width: number, indent = ''): string[] {
  const lines: string[] = [];
  const room = Math.max(displayWidth(indent) + 2, width);
  let line = '';
  let empty = true;
  const next = () => {
    lines.push(line);
    line = indent;
    empty = true;
  };
  for (const word of text.split(' ')) {
    let rest = word;
    if (!empty && displayWidth(line) + 1 + displayWidth(rest) > room) next();
    while (displayWidth(line) + displayWidth(rest) > room) {
      const head = headOf(rest, room - displayWidth(line));
      line += head;
      rest = rest.slice(head.length);
      next();
    }
    line += empty ? rest : ` ${rest}`;
    empty = false;
  }
  lines.push(line);
  return lines;
}

/** Breaks a plain text into lines at spaces only: a path stays whole, to be copied. */
export function wrapWords(text: string, width: number, indent = ''): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line === '' || displayWidth(longer) <= width) line = longer;
    else {
      lines.push(line);
      line = indent + word;
    }
  }
  return [...lines, line];
}

const ASCII: Record<string, string> = {
  '–': '-',
  '−': '-',
  '→': '>',
  '✔': '+',
  '✘': 'x',
  '✅': '+',
  '❌': 'x',
  ℹ: 'i',
  '—': '-',
  '…': '.',
  '·': '|',
  '×': 'x',
  µ: 'u',
  '“': '"',
  '”': '"',
  '’': "'",
};

/** Replaces what an ASCII terminal cannot show, each character by one of the same width or less. */
export function toAscii(text: string): string {
  return text.replace(/[^\p{ASCII}]/gu, (character) => ASCII[character] ?? '?');
}

function headOf(text: string, width: number): string {
  let head = '';
  let used = 0;
  for (const character of text) {
    used += cells(character);
    if (used > width) break;
    head += character;
  }
  return head;
}

function cells(character: string): number {
  if (MARK.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
