import type { Protection } from '../protection.js';
import { DEATHS } from './deaths.js';
import { ESCAPES } from './escapes.js';
import { INPUTS } from './inputs.js';
import { LIMITS } from './limits.js';
import { OVERLOAD } from './overload.js';
import { RESULTS } from './results.js';
import { TERMINALS } from './terminals.js';

/** All protections, in the order of docs/reliability.md. */
export const PROTECTIONS: readonly Protection[] = [
  ...RESULTS,
  ...DEATHS,
  ...LIMITS,
  ...OVERLOAD,
  ...INPUTS,
  ...ESCAPES,
  ...TERMINALS,
];
