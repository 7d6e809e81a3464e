import { stripVTControlCharacters } from 'node:util';
import { Help, type Interfaces } from '@oclif/core';
import { displayWidth, wrap } from '../report/layout.js';
import { terminalOf } from '../report/terminal.js';

/** There is no laying out columns in less. */
const NARROWEST = 20;

/** Oclif's help, of which no line is wider than the terminal: it wraps descriptions, but not summaries. */
export default class NarrowHelp extends Help {
  private readonly width: number;

  constructor(config: Interfaces.Config, options: Partial<Interfaces.HelpOptions> = {}) {
    const isTTY = process.stdout.isTTY === true;
    const { columns } = terminalOf(process.stdout, { isTTY, env: process.env });
    // Text for a file is as wide as oclif has it, unless COLUMNS says something else.
    const width = isTTY || process.env.COLUMNS ? columns : 80;
    // Two less: oclif breaks its lists up to two cells too late.
    super(config, { ...options, maxWidth: Math.max(NARROWEST, width - 2) });
    this.width = width;
  }

  protected override log(...lines: string[]): void {
    super.log(
      ...lines.map((text) =>
        text
          .split('\n')
          .map((line) => this.fitted(line))
          .join('\n'),
      ),
    );
  }

  /** Overlong lines are few, and lose their colours. */
  private fitted(line: string): string {
    if (displayWidth(line) <= this.width) return line;
    const plain = stripVTControlCharacters(line);
    const indent = /^ */.exec(plain)?.[0] ?? '';
    const text = plain.trim().replaceAll(/ {2,}/g, '  ');
    return wrap(text, this.width - indent.length, '  ')
      .map((part) => indent + part)
      .join('\n');
  }
}
