import { readFileSync } from 'node:fs';

/** The version of envd-bench, from the package.json beside it. */
export function toolVersion(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
