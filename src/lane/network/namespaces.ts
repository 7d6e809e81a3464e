import { messageOf } from '../../base/errors.js';
import { readProc } from '../../observe/proc/counters.js';
import { firstLine, runTool } from './command.js';

/**
 * Fresh user, network, mount and process namespaces (unshare(1)). As root and as an ordinary user
 * alike this gives a network of its own, takes the rights over the clock and the host away, and ends
 * every process inside with the first one.
 */
export const UNSHARE = [
  'unshare',
  '--user',
  '--map-root-user',
  '--net',
  '--mount',
  '--pid',
  '--fork',
  '--kill-child=KILL',
  '--mount-proc',
] as const;

/** Ends the command with its parent, even when that was killed by SIGKILL (prctl(2)). */
export const DIE_WITH_PARENT = ['setpriv', '--pdeathsig', 'KILL'] as const;

/** What an inner network namespace needs to be of use; tried before a run relies on it. */
const TRIAL = 'link add veth0 type veth peer name eth0\nlink set lo up\n';

/**
 * Finds out whether lanes can have network namespaces here.
 * @returns undefined when they can, else the reason in one line
 */
export async function whyNoNamespaces(): Promise<string | undefined> {
  const [program, ...args] = [...DIE_WITH_PARENT, ...UNSHARE, ...UNSHARE, 'ip', '-batch', '-'];
  try {
    await runTool(program ?? '', args, TRIAL);
    return undefined;
  } catch (thrown) {
    return explained(firstLine(messageOf(thrown)));
  }
}

/** Settings that forbid what unshare then only calls "no space left" or "not permitted". */
const FORBIDDING: readonly [setting: string, forbids: string][] = [
  ['user/max_user_namespaces', '0'],
  ['user/max_net_namespaces', '0'],
  ['kernel/unprivileged_userns_clone', '0'],
  ['kernel/apparmor_restrict_unprivileged_userns', '1'],
];

/** How Node, a shell, and setpriv or unshare say that there is no such tool. */
const MISSING = [
  /spawn (\w+) ENOENT/,
  /(?:^|: )(\w+): (?:command )?not found/,
  /failed to execute (\w+): No such file/,
];

/** Puts the cause in front of a tool's words, where it is known. */
function explained(words: string): string {
  const [, missing] = MISSING.map((says) => says.exec(words)).find((found) => found) ?? [];
  if (missing) return `${missing} is not installed (${words})`;
  if (/EAGAIN|EMFILE|Resource temporarily unavailable/.test(words)) {
    return `too few processes or open files are allowed (${words})`;
  }
  const isRoot = process.getuid?.() === 0;
  const setting = FORBIDDING.find(
    ([path, forbids]) =>
      (!isRoot || path.startsWith('user/')) && readProc(`/proc/sys/${path}`)?.trim() === forbids,
  );
  return setting ? `${setting[0].replace('/', '.')} is ${setting[1]} (${words})` : words;
}
