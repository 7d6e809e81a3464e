import type { Command } from '@oclif/core';
import Agent from './agent.js';
import Compare from './compare.js';
import Matrix from './matrix.js';
import Mmds from './mmds.js';
import Report from './report.js';
import Run from './run.js';

/** The commands by name. A new one is one file and one line here. */
export const commands: Record<string, Command.Class> = {
  agent: Agent,
  compare: Compare,
  matrix: Matrix,
  mmds: Mmds,
  report: Report,
  run: Run,
};
