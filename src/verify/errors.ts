/** The agent did not do what every scenario builds on: the scenario fails for that reason. */
export class Failure extends Error {
  override readonly name = 'Failure';
}

/** The agent ended although nobody asked it to: the scenario fails, and the others go on. */
export class AgentDied extends Error {
  override readonly name = 'AgentDied';
}

/** The agent does not show what the scenario must see: it is skipped, never passed. */
export class Unobservable extends Error {
  override readonly name = 'Unobservable';
}

/** The machine was too slow for what was to be shown: nothing is known, and it is tried again. */
export class MissedMoment extends Error {
  override readonly name = 'MissedMoment';
}
