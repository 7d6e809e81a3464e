import type fc from 'fast-check';

/** One door through which data comes in from outside. */
export interface FuzzTarget<Input = unknown> {
  /** As it is typed behind `npm run fuzz --`. */
  name: string;
  /** An input takes tenths of a second: the tests try fewer. */
  isSlow?: true;
  /** What is drawn. */
  input: fc.Arbitrary<Input>;
  /** Throws when the input makes a crash, or output that nobody may print. */
  check(input: Input): void | Promise<void>;
  /** Gives back what it holds open. */
  close?(): Promise<void>;
}

/** Hides what kind of input a target takes. */
export function defineTarget<Input>(target: FuzzTarget<Input>): FuzzTarget {
  return target as unknown as FuzzTarget;
}
