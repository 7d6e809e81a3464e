/** What a check found. */
export interface Finding {
  /**
   * `ok`; `limited`: `run` works, but some figures cannot be had, or not at their full size; `missing`:
   * `run` refuses.
   */
  state: 'ok' | 'limited' | 'missing';
  /** One line: what was found, with its figures. */
  text: string;
  /** How to get more, as a sentence; null where all is well. */
  mend: string | null;
}

/** What checks are told. */
export interface Asked {
  /** Where results would go. */
  out: string;
}

/** One thing that a run stands on. */
export interface Check {
  name: string;
  look(asked: Asked): Finding | Promise<Finding>;
}

/** The pollers of the storm: one every 100 ms for the 60 s that each lives. */
export const STORM_POLLERS = 600;

/** Its lanes: unguarded beside guarded. */
export const STORM_LANES = 2;

export function ok(text: string): Finding {
  return { state: 'ok', text, mend: null };
}

export function limited(text: string, mend: string): Finding {
  return { state: 'limited', text, mend };
}

export function missing(text: string, mend: string): Finding {
  return { state: 'missing', text, mend };
}
