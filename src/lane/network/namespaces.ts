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
const TRIAL = 'ip link add veth0 type veth peer name eth0 && ip link set lo up';

/**
 * Finds out whether lanes can have network namespaces here.
 * @returns undefined when they can, else the reason in one line
 */
export async function whyNoNamespaces(): Promise<string | undefined> {
  const [program, ...args] = [...DIE_WITH_PARENT, ...UNSHARE, ...UNSHARE, 'sh', '-c', TRIAL];
  try {
    await runTool(program ?? '', args);
    return undefined;
  } catch (thrown) {
    return firstLine(thrown instanceof Error ? thrown.message : String(thrown));
  }
}
