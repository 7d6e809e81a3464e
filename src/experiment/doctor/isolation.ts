import { userInfo } from 'node:os';
import { faults } from '../../mmds/faults/index.js';
import { chooseIsolation, type Isolation, NAMESPACES_MEND } from '../isolation.js';
import { type Check, limited, ok } from './check.js';

export const isolation: Check = {
  name: 'isolation',
  look: async () => isolationFinding(await chooseIsolation('auto'), userName()),
};

/** @param chosen what `run` would take; @param user who asks */
export function isolationFinding({ kind, reason }: Isolation, user: string) {
  const text = `${kind} as ${user}: ${reason}`;
  if (kind === 'netns') return ok(text);
  const impossible = [...faults.values()]
    .filter((one) => one.loopbackRefusal)
    .map((one) => one.name);
  return limited(
    `${text}; built-in agents only, without guest limits and the faults ${impossible.join(', ')}`,
    NAMESPACES_MEND,
  );
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.()}`;
  }
}
