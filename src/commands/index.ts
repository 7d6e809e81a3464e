import type { Command } from '@oclif/core';
import Report from './report.js';
import Run from './run.js';

/** The commands by name. A new one is one file and one line here. */
export const commands: Record<string, Command.Class> = {
  report: Report,
  run: Run,
};
