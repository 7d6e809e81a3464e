/** Something that keeps a promise of docs/reliability.md, and how it is taken out. */
export interface Protection {
  /** What is not done any more without it. */
  name: string;
  /** The source file that it is in, from the root of the repository. */
  file: string;
  /** What stands there, exactly once. */
  from: string;
  /** What stands there when it is taken out. */
  to: string;
  /** The test file that must fail then, under `test/`, without `.test.ts`. */
  test: string;
  /** A regular expression of the names of those tests in it that are run; all when left out. */
  only?: string;
  /** It holds against an ordinary user alone, or root alone; the other cannot show it. */
  as?: 'root' | 'ordinary user';
}
