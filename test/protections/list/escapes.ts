import type { Protection } from '../protection.js';

const netns = 'src/lane/network/netns.ts';
const confined = { file: netns, test: 'e2e/escape', only: 'as the user of the tests' } as const;

/**
 * The interlock, and what a program under test cannot reach. Two are left where they are, for without
 * them the run itself would change this machine: the user namespace of a lane, which keeps its writes
 * to /proc/sys from being the machine's, and its own /run. Without a network of its own there is no lane.
 */
export const ESCAPES: readonly Protection[] = [
  {
    name: 'nothing link-local is spoken to outside of a namespace of its own',
    file: 'src/base/interlock.ts',
    from: "if (!/^net:\\[\\d+\\]$/.test(origin ?? '') || origin === currentNetns()) {",
    to: 'if (false) {',
    test: 'base/interlock',
  },
  {
    name: 'what is no address is not spoken to',
    file: 'src/base/interlock.ts',
    from: 'if (family === 0) throw new Error(`refusing to send to "${address}": not an IP address`);',
    to: '',
    test: 'base/interlock',
  },
  {
    ...confined,
    name: 'the mounts of a program under test are read-only',
    from: 'mount -o "$flags" "$(printf %b "$at")" 2>/dev/null',
    to: 'true',
  },
  {
    name: 'a mount that cannot be made read-only ends the run',
    file: netns,
    from: '[ ! -e "$(printf %b "$at")" ] || { echo "cannot make $at read-only" >&2; return 1; }',
    to: 'true',
    test: 'e2e/external',
    only: 'cannot be made read-only',
  },
  {
    ...confined,
    name: 'a program under test has a /tmp of its own',
    from: 'mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs /tmp &&',
    to: '',
  },
  {
    ...confined,
    name: 'a program under test has a /dev of its own',
    from: 'own_dev && all_read_only &&',
    to: 'all_read_only &&',
  },
  {
    ...confined,
    name: '/proc of a program under test is read-only',
    from: 'exec 7>/run/gate && rm /run/gate && mount -o remount,bind,ro,nosuid,nodev,noexec /proc',
    to: 'exec 7>/run/gate && rm /run/gate',
    as: 'root',
  },
  {
    ...confined,
    name: 'a program under test has no cgroup namespace',
    from: 'echo 0 > /proc/sys/user/max_cgroup_namespaces;',
    to: 'true;',
  },
  {
    ...confined,
    name: 'a program under test has System V memory of its own',
    from: 'exec unshare --mount --ipc -- "$@"',
    to: 'exec unshare --mount -- "$@"',
  },
  {
    ...confined,
    name: 'a program under test is in a user namespace of its own',
    from: "unshare --user --map-root-user \\\\\n    sh -c 'read -r _ < /run/gate;",
    to: "sh -c 'read -r _ < /run/gate;",
  },
  {
    ...confined,
    name: 'a program under test has none of the files that its side has open',
    from: 'sh "$@" 2>&4 3>&- 4>&- &\n  agent=$!\n  exec 7>',
    to: 'sh "$@" 2>&4 4>&- &\n  agent=$!\n  exec 7>',
  },
  {
    ...confined,
    name: 'a program under test has no folder of the host open',
    from: 'exec 8<&- 9<&- &&',
    to: '',
  },
  {
    name: 'a program under test has processes of its own',
    file: 'src/lane/network/namespaces.ts',
    from: "  '--mount-proc',\n",
    to: '',
    test: 'e2e/external',
    only: 'it reaches neither',
  },
];
