import type { FuzzTarget } from '../target.js';
import { agentAnswers, mmdsAnswers } from './agent-answers.js';
import { commandLines } from './command-lines.js';
import { counterLines } from './counter-lines.js';
import { flagValues } from './flags.js';
import { github } from './github.js';
import { matrixFiles } from './matrix.js';
import { mmdsRequests, mmdsSockets } from './mmds-requests.js';
import { dumps, proc } from './observed.js';
import { results } from './results.js';
import { scenarioFiles } from './scenario-file.js';

/** All targets. A new one is a file in this folder and a line here. */
export const TARGETS: readonly FuzzTarget[] = [
  flagValues,
  commandLines,
  scenarioFiles,
  results,
  matrixFiles,
  mmdsAnswers,
  agentAnswers,
  mmdsRequests,
  mmdsSockets,
  dumps,
  proc,
  counterLines,
  github,
];
