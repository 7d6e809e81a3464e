import { type Check, missing, ok } from './check.js';

/** The oldest that package.json's `engines` allows. */
const OLDEST = 20;

export const node: Check = {
  name: 'node',
  look: () => nodeVersion(process.version, process.platform),
};

/** @param version as `process.version` has it; @param platform as `process.platform` */
export function nodeVersion(version: string, platform: string) {
  const major = Number(/^v(\d+)\./.exec(version)?.[1]);
  if (platform !== 'linux') {
    return missing(
      `${version} on ${platform}: namespaces and /proc are Linux's`,
      'Run it on Linux',
    );
  }
  return major >= OLDEST
    ? ok(version)
    : missing(`${version} is too old`, `Install Node ${OLDEST} or later`);
}
