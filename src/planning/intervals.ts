import { parseDuration } from '../base/duration.js';
import { UsageError } from '../base/errors.js';

/** Steps of a sweep in every power of ten. */
const STEPS = [1, 1.5, 2, 3, 5, 7];

/**
 * Reads `--interval` of a plan: durations, comma lists, and ranges such as `50ms..5s`, which become
 * six round values in every power of ten, and both ends.
 * @returns the intervals as text, each a duration
 * @throws UsageError on a range the wrong way round, or with an end that is no duration
 */
export function expandIntervals(texts: readonly string[]): string[] {
  return texts
    .flatMap((list) => list.split(','))
    .flatMap((text) => {
      const ends = text.split('..');
      if (ends.length !== 2) return [text];
      const [low = 0, high = 0] = ends.map((end) => parseDuration(end, '--interval'));
      if (low >= high) {
        throw new UsageError(
          `--interval ${text} is the wrong way round`,
          'Give it as --interval 50ms..5s',
        );
      }
      const between: number[] = [];
      for (let power = -3; power < 10; power++) {
        for (const step of STEPS) {
          const value = Number((step * 10 ** power).toPrecision(2));
          if (value > low && value < high) between.push(value);
        }
      }
      return [low, ...between, high].map((ms) => `${ms}ms`);
    });
}
