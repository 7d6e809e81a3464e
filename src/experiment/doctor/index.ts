import type { Asked, Check, Finding } from './check.js';
import { clock } from './clock.js';
import { counters } from './counters.js';
import { files } from './files.js';
import { idle } from './idle.js';
import { isolation } from './isolation.js';
import { memory } from './memory.js';
import { node } from './node.js';
import { out } from './out.js';
import { ports } from './ports.js';
import { processes } from './processes.js';
import { processors } from './processors.js';
import { tools } from './tools.js';

/** The checks in the order in which they are shown. A new one is one file and one line here. */
export const checks: readonly Check[] = [
  node,
  tools,
  isolation,
  counters,
  ports,
  files,
  processes,
  processors,
  idle,
  memory,
  clock,
  out,
];

/** A finding under the name of its check. */
export interface Found extends Finding {
  check: string;
}

/** Looks at everything. */
export async function examine(asked: Asked): Promise<Found[]> {
  const found: Found[] = [];
  for (const { name, look } of checks) found.push({ check: name, ...(await look(asked)) });
  return found;
}
