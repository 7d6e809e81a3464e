import { UsageError } from '../base/errors.js';
import { whyNoNamespaces } from '../lane/network/namespaces.js';

/** How namespaces can be had. */
export const NAMESPACES_MEND =
  'Allow user namespaces (sysctl user.max_user_namespaces; on Ubuntu ' +
  'kernel.apparmor_restrict_unprivileged_userns=0), install iproute2 and util-linux, or use ' +
  '--isolation loopback';

export interface Isolation {
  kind: 'netns' | 'loopback';
  /** Why this one, when it was left to us. */
  reason: string | null;
}

/**
 * Decides how lanes are kept apart.
 * @param asked `auto`, `netns` or `loopback`
 * @throws UsageError when namespaces were asked for and cannot be had
 */
export async function chooseIsolation(asked: string): Promise<Isolation> {
  if (asked === 'loopback') return { kind: 'loopback', reason: null };
  const obstacle = await whyNoNamespaces();
  if (asked === 'netns') {
    if (obstacle === undefined) return { kind: 'netns', reason: null };
    throw new UsageError(`network namespaces cannot be had here (${obstacle})`, NAMESPACES_MEND);
  }
  return obstacle === undefined
    ? { kind: 'netns', reason: 'user namespaces work here' }
    : { kind: 'loopback', reason: `no network namespaces here: ${obstacle}` };
}
