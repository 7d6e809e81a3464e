import { taskLimit, tasksFor } from '../preflight.js';
import { type Check, limited, missing, ok, STORM_LANES } from './check.js';

export const processes: Check = {
  name: 'processes',
  look: () => processesFinding(taskLimit()),
};

/** @param limit how many processes and threads this user may have; @param used how many there are */
export function processesFinding({ limit, used }: { limit: number; used: number }) {
  const need = tasksFor(STORM_LANES);
  if (!Number.isFinite(limit)) return ok(`no limit; two lanes need ${need} processes and threads`);
  const text = `${Math.max(0, limit - used)} of ${limit} are free, two lanes need ${need} processes and threads`;
  if (limit - used >= need) return ok(text);
  const mend = `Raise the limit: ulimit -u ${used + need}`;
  return limit - used >= tasksFor(1)
    ? limited(text, `${mend}; or run --sequential`)
    : missing(text, mend);
}
