import type { Spread } from './statistics.js';

/** How much is measured. */
export interface Effort {
  /** How often each measurement is repeated; those that are compared take turns. */
  repeats: number;
  /** A few seconds in all: shows that the tables can be made, and nothing about speed. */
  isSmoke: boolean;
}

/** One figure: several repeats, a single number, or why there is none. */
export type Cell = Spread | number | string;

export interface Row {
  label: string;
  cells: Cell[];
}

/** What is asked for, and what came of it. */
export interface Goal {
  text: string;
  /** How it was measured, in figures; why not, when `isMet` is null. */
  measured: string;
  isMet: boolean | null;
}

/** What a table has measured. */
export interface Measured {
  head: string[];
  rows: Row[];
  goals: Goal[];
}

/** One table of the bench: a file of tables/, and a line in its index. */
export interface Table {
  /** For `--only`, and the mark of its section. */
  name: string;
  title: string;
  /** How it is measured: what a reader must know to doubt it. */
  method: string;
  /** @throws Error when it cannot be had here at all */
  measure(effort: Effort, say: (what: string) => void): Promise<Measured>;
}
