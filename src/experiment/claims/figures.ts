const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

/** A number as the reasons show it, the same in every locale: `23,812`, `39.7`. */
export function show(value: number): string {
  return grouped.format(value);
}

/** Milliseconds as seconds: `11.9 s`. */
export function showSeconds(ms: number): string {
  return `${show(ms / 1e3)} s`;
}
