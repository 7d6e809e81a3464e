/** What several repeats of one measurement gave. */
export interface Spread {
  median: number;
  min: number;
  max: number;
}

/** @throws Error when there is nothing to sum up, or a value is no number */
export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  if (sorted.length === 0 || !sorted.every(Number.isFinite)) {
    throw new Error(`no spread of [${values.join(', ')}]`);
  }
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  const middle = (sorted.length - 1) / 2;
  return {
    median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
    min: at(0),
    max: at(sorted.length - 1),
  };
}

/** The ratios of what was measured next to each other: repeat by repeat, not of the medians. */
export function ratios(over: readonly number[], under: readonly number[]): Spread {
  if (over.length !== under.length) throw new Error('ratios need as many of one as of the other');
  return spread(over.map((value, i) => value / (under[i] ?? Number.NaN)));
}

/**
 * The value that a share of all values does not exceed (nearest rank).
 * @param share from 0 to 1
 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  if (value === undefined) throw new Error('no percentile of nothing');
  return value;
}
