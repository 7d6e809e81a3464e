import { openFilesFor, openFilesLimit } from '../preflight.js';
import { type Check, limited, missing, ok, STORM_POLLERS } from './check.js';

export const files: Check = {
  name: 'open files',
  look: () => filesFinding(openFilesLimit()),
};

/** @param limit open files of one process */
export function filesFinding(limit: number) {
  const need = openFilesFor(STORM_POLLERS);
  const text = `${Number.isFinite(limit) ? limit : 'unlimited'} allowed, ${STORM_POLLERS} hanging pollers need ${need}`;
  if (limit >= need) return ok(text);
  const mend = `Raise the limit: ulimit -n ${need}`;
  return limit >= openFilesFor(0) ? limited(text, mend) : missing(text, mend);
}
