import { figure } from '../markdown.js';
import type { Cell, Goal } from '../table.js';

/** One figure of a goal. */
export interface Part {
  name: string;
  value: Cell;
  isMet: boolean;
}

/** A goal that is met when all its parts are. */
export function goalOf(text: string, parts: readonly Part[]): Goal {
  return {
    text,
    measured: parts.map(({ name, value }) => `${name} ${figure(value)}`).join(', '),
    isMet: parts.every(({ isMet }) => isMet),
  };
}
