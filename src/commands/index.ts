import type { Command } from '@oclif/core';
import Agent from './agent.js';
import Comment from './comment.js';
import Compare from './compare.js';
import Doctor from './doctor.js';
import Matrix from './matrix.js';
import Mmds from './mmds.js';
import Plan from './plan.js';
import Report from './report.js';
import Run from './run.js';
import Verify from './verify.js';

/** The commands by name. A new one is one file and one line here. */
export const commands: Record<string, Command.Class> = {
  agent: Agent,
  comment: Comment,
  compare: Compare,
  doctor: Doctor,
  matrix: Matrix,
  mmds: Mmds,
  plan: Plan,
  report: Report,
  run: Run,
  verify: Verify,
};
