/** A running poller, as a guard sees it. */
export interface SpawnedPoller {
  /** Settles when the poller has ended; rejects when the poll threw. */
  readonly done: Promise<void>;
  renew(): void;
}

/** The rule by which an agent decides whether an `/init` starts a poller. */
export interface Guard {
  /** The built-in agent's name. */
  name: string;
  /** One line for the help. */
  summary: string;
  /** What the agent answers as `X-Envd-Version`. */
  version: string;
  /** Whether its pollers end on an empty store (`null`), as envd's do. */
  acceptsEmptyStore: boolean;
  /**
   * Makes the rule for one agent.
   * @param spawn starts a poller
   * @returns what to do at the end of every accepted `/init`
   */
  create(spawn: () => SpawnedPoller): () => void;
}

/** For a poller whose end nobody waits for: a throw is the poll's own matter. */
export function ignoreEnd(): void {}
