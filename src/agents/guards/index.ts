import type { Guard } from './guard.js';
import { guarded } from './guarded.js';
import { guardedPr } from './guarded-pr.js';
import { guardedRearm } from './guarded-rearm.js';
import { unguarded } from './unguarded.js';

/** The built-in agents by name. A new guard is one file and one line here. */
export const guards: ReadonlyMap<string, Guard> = new Map(
  [unguarded, guarded, guardedPr, guardedRearm].map((guard) => [guard.name, guard]),
);
