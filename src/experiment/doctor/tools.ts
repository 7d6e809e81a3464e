import { hasTool, plainEnvironment } from '../../lane/network/command.js';
import { type Check, limited, ok } from './check.js';

/** What a lane in a network of its own calls, and the package that has it. */
const TOOLS: readonly [tool: string, from: string][] = [
  ['unshare', 'util-linux'],
  ['setpriv', 'util-linux'],
  ['mount', 'mount'],
  ['ip', 'iproute2'],
  ['sh', 'dash or bash'],
  ['taskset', 'util-linux'],
];

export const tools: Check = {
  name: 'tools',
  look: () => toolsOn(plainEnvironment().PATH ?? ''),
};

/** @param path the folders in which a lane looks for tools */
export function toolsOn(path: string) {
  const absent = TOOLS.filter(([tool]) => !hasTool(tool, path));
  if (absent.length === 0) return ok(TOOLS.map(([tool]) => tool).join(', '));
  const packages = [...new Set(absent.map(([, from]) => from))].join(' and ');
  return limited(
    `not installed: ${absent.map(([tool]) => tool).join(', ')}`,
    `Install ${packages} for lanes with networks of their own`,
  );
}
