/** What a process of envd-bench ends with. */
export const EXIT = {
  /** The work was done. */
  ok: 0,
  /** A threshold, a check or a regression failed; or an agent failed while the run went on. */
  failed: 1,
  /** Bad input, or an environment that cannot do what was asked. */
  unusable: 2,
  /** Interrupted; the partial result is saved. */
  interrupted: 130,
} as const;

/**
 * A mistake that a person can mend: one line that says what is wrong, and what to do about it.
 * It ends the command with exit code 2 and without a stack trace.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  /** @param what the trouble; @param mend what to do about it, as a full sentence or an example */
  constructor(
    readonly what: string,
    readonly mend?: string,
  ) {
    super(mend ? `${what}. ${mend}` : what);
  }
}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The `code` of a system error (`ECONNREFUSED`, …), or undefined. */
export function codeOf(thrown: unknown): string | undefined {
  const code = (thrown as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}
