/** What stands where nothing was measured. */
export const NO_DATA = '–';

type Measured = number | null | undefined;

// A fixed locale: output must not depend on the machine's language.
const digits = [0, 1, 2, 3, 4].map(
  (places) =>
    new Intl.NumberFormat('en-US', {
      minimumFractionDigits: places,
      maximumFractionDigits: places,
    }),
);

/** A whole number in groups: `23,812`. */
export function formatCount(value: Measured): string {
  return isData(value) ? fixed(value, 0) : NO_DATA;
}

/** A rate: `23,812/s`; slow ones with a fraction: `0.5/s`. */
export function formatRate(value: Measured): string {
  if (!isData(value)) return NO_DATA;
  return `${fixed(value, value < 10 && !Number.isInteger(value) ? 1 : 0)}/s`;
}

/** Milliseconds in three significant digits, without the unit: `0.123`, `1.23`, `12.3`, `1,234`. */
export function formatMs(value: Measured): string {
  if (!isData(value)) return NO_DATA;
  if (value === 0) return '0';
  const places = value < 1 ? 3 : value < 10 ? 2 : value < 100 ? 1 : 0;
  return fixed(value, places);
}

/** Seconds with one decimal: `42.1 s`. */
export function formatSeconds(value: Measured): string {
  return isData(value) ? `${fixed(value, 1)} s` : NO_DATA;
}

/** How many times `first` is of `second`: `595x`, `1.30x`; no data where one of them is, or over 0. */
export function formatRatio(first: Measured, second: Measured): string {
  const ratio = isData(first) && isData(second) ? first / second : Number.NaN;
  if (!isData(ratio)) return NO_DATA;
  const places = ratio >= 100 ? 0 : ratio >= 10 ? 1 : ratio >= 0.1 || ratio === 0 ? 2 : 4;
  return `${fixed(ratio, places)}x`;
}

/** A figure of unknown kind, as a claim has it: a number as short as it is, a text as it stands. */
export function formatValue(value: number | string | null): string {
  if (typeof value === 'string') return value;
  if (!isData(value)) return NO_DATA;
  return Number.isInteger(value) ? fixed(value, 0) : fixed(value, value < 10 ? 2 : 1);
}

/** A number of things: `1 lane`, `2 lanes`. */
export function plural(count: number, thing: string): string {
  return `${fixed(count, 0)} ${thing}${count === 1 ? '' : 's'}`;
}

function isData(value: Measured): value is number {
  return value !== null && value !== undefined && Number.isFinite(value);
}

function fixed(value: number, places: number): string {
  return (digits[places] ?? digits[0])?.format(value) ?? String(value);
}
