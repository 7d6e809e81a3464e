import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { monotonicMs, sleepUntil } from '../../base/clock.js';
import { onLines } from '../../base/lines.js';
import { netnsReader } from '../../observe/netns-reader.js';
import { readProc } from '../../observe/proc/counters.js';
import { childrenOf, treeOf } from '../../observe/proc/process.js';
import { type Exit, exitInside, exitOfStatus, howEnded } from '../death.js';
import { plainEnvironment, runTool } from './command.js';
import { UNSHARE } from './namespaces.js';
import type { AgentExit, AgentProcess, LaneNetwork, Limits } from './network.js';

/** E2B's addresses: the guest's eth0, its gateway on the host, and MMDS behind it. */
const AGENT = { host: '169.254.0.21', port: 49983 };
const GATEWAY = '169.254.0.22';
const MMDS = { host: '169.254.169.254', port: 80 };
const HOST_DEVICE = 'veth0';

/** How much of what the side itself says is kept, characters. */
const TAIL = 2_000;

/** How long the end of a process may stay untold after what it caused, ms. */
const CAUSE_TOLD_WITHIN_MS = 500;

/**
 * The first process of the agent's side. It waits until the host side has laid the cable, sets the
 * side up, starts the agent, says how it ended, and holds the namespaces, so that their counters can
 * be read, until its standard input ends. What goes wrong is said on file 3. The agent's
 * standard error is file 4: on its own a shell says how the agent died, as if the agent had said it.
 * $1 TIME_WAIT limit or "", $2 port range or "", $3 the folder of a program that is not ours or "",
 * $4 the folder it is started in; then the agent's command.
 *
 * A program that is not ours sees the host's files, but can change none: all mounts are read-only
 * and without devices, /run and /tmp are its own. Both its folders are bound back in where one of those
 * would hide them; only an open file still leads there then. What would be left:
 * - /dev: an owner may write to a device on a read-only mount, and root owns the disks. It gets a /dev
 *   of its own with six harmless devices; /dev/shm and terminals are its own too.
 * - /proc: root's writes to /proc/sys and /proc/sysrq-trigger ask for no capability, core_pattern even
 *   names a program that the kernel starts outside (proc_sysctl.c, test_perm). It is read-only.
 * - cgroups: who has a cgroup namespace can mount them afresh, writable; it can have none.
 * - System V memory and message queues: an IPC namespace of its own.
 *
 * It runs in one more user namespace, from which these mounts and this network cannot be changed
 * (mount_namespaces(7), locked mounts). That namespace is made before /proc becomes read-only, for
 * its maps are written there, and its mounts after that: hence the gate.
 */
const HOLDER = `
confine() {
  exec 8<"$start" 9<"$folder" &&
  awk '$2 !~ /^\\/(run|proc|dev)(\\/|$)/ {
    kept = ""
    # What the host has set is locked: a remount that leaves it out is refused.
    for (n = split($4, option, ","); n > 0; n--)
      if (option[n] ~ /^(noexec|noatime|nodiratime|relatime)$/) kept = kept "," option[n]
    print "remount,bind,ro,nosuid,nodev" kept, $2
  }' /proc/self/mounts > /run/mounts &&
  while read -r flags at; do
    mount -o "$flags" "$(printf %b "$at")" 2>/dev/null
  done < /run/mounts
  mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs /tmp &&
  back 8 "$start" && back 9 "$folder" &&
  exec 8<&- 9<&- &&
  own_dev && all_read_only &&
  { [ ! -e /proc/sys/user/max_cgroup_namespaces ] || echo 0 > /proc/sys/user/max_cgroup_namespaces; } &&
  cd "$start"
}
back() {
  case "$2" in
    /tmp/*|/run/*)
      mkdir -p "$2" && mount --no-canonicalize --bind /proc/self/fd/$1 "$2" ;;
  esac
}
own_dev() {
  mkdir /run/dev && mount -t tmpfs -o mode=755,nosuid tmpfs /run/dev &&
  for device in null zero full random urandom tty; do
    : > /run/dev/$device && mount --bind /dev/$device /run/dev/$device || return 1
  done
  ln -s /proc/self/fd /run/dev/fd && ln -s fd/0 /run/dev/stdin && ln -s fd/1 /run/dev/stdout &&
  ln -s fd/2 /run/dev/stderr && mkdir -m 1777 /run/dev/shm && mkdir /run/dev/pts &&
  { mount -t devpts -o newinstance,ptmxmode=0666 devpts /run/dev/pts 2>/dev/null &&
    ln -s pts/ptmx /run/dev/ptmx || true; } &&
  mount --move /run/dev /dev && rmdir /run/dev
}
# A mount may stay as it is only where nobody gets to: under another mount, or in a folder that is shut.
all_read_only() {
  awk '$2 !~ /^\\/(tmp$|(run|proc|dev)(\\/|$))/ { writable[$2] = $4 ~ /^rw/ }
    END { for (at in writable) if (writable[at]) print at }' /proc/self/mounts > /run/mounts &&
  while read -r at; do
    [ ! -e "$(printf %b "$at")" ] || { echo "cannot make $at read-only" >&2; return 1; }
  done < /run/mounts
  rm /run/mounts
}
# A shell lets what it starts in the background ignore SIGINT and SIGQUIT (POSIX, 2.11): a program that
# takes them as it finds them could give no stack dump.
# Starts the agent's first process, which waits at the gate in a user namespace of its own.
start_gated() {
  unshare --user --map-root-user true && mkfifo /run/gate || return 1
  ! env --default-signal=QUIT true 2>/dev/null || set -- env --default-signal=INT,QUIT "$@"
  unshare --user --map-root-user \\
    sh -c 'read -r _ < /run/gate; exec unshare --mount --ipc -- "$@"' sh "$@" 2>&4 3>&- 4>&- &
  agent=$!
  exec 7>/run/gate && rm /run/gate && mount -o remount,bind,ro,nosuid,nodev,noexec /proc
}
echo up >&3
read -r _ || exit 0
timewait=$1 range=$2 folder=$3 start=$4; shift 4
sys=/proc/sys/net/ipv4
{
  ip link set lo up &&
  ip addr add ${AGENT.host}/30 dev eth0 &&
  ip link set eth0 up &&
  ip route add ${MMDS.host}/32 via ${GATEWAY} &&
  { [ -z "$range" ] || echo "$range" > $sys/ip_local_port_range; } &&
  { [ -z "$timewait" ] || echo "$timewait" > $sys/tcp_max_tw_buckets; } &&
  mount -t tmpfs -o mode=755 tmpfs /run &&
  { [ -z "$folder" ] || { confine && start_gated "$@"; }; }
} 2>&3 || { echo "status $?" >&3; echo failed >&3; exit 1; }
for limit in ip_local_port_range ip_local_reserved_ports tcp_max_tw_buckets; do
  echo "$limit $(cat $sys/$limit 2>/dev/null)" >&3
done
echo ready >&3
if [ -n "$folder" ]; then
  echo go >&7; exec 7>&-
else
  "$@" 2>&4 3>&- 4>&- &
  agent=$!
fi
exec 4>&-
wait $agent
echo "exit $?" >&3
while read -r _; do :; done
`;

/** What the guest's kernel is given. */
export interface GuestLimits {
  timeWaitLimit: number | null;
  portRange: readonly [number, number] | null;
}

/**
 * A lane's network in two namespaces joined by a veth pair, as a VM and its host are. The calling
 * process is already in the host side's own namespaces.
 */
export async function netnsNetwork(guest: GuestLimits): Promise<LaneNetwork> {
  await runTool('ip', ['link', 'set', 'lo', 'up']);
  sizeConnectionTable(guest.timeWaitLimit);
  let holder: ChildProcess | undefined;
  const onHolder = (child: ChildProcess): void => {
    holder = child;
  };
  return {
    mmds: MMDS,
    agent: AGENT,
    mmdsSide: { kind: 'netns', device: HOST_DEVICE },
    side: () => sideOf(holder?.pid),
    startAgent: (command, confineTo) => startAgent(guest, command, confineTo, onHolder),
  };
}

/** unshare, the first process inside, and while the side is built the tool that it waits for. */
function sideOf(pid: number | undefined): number[] {
  if (pid === undefined) return [];
  const first = childrenOf(pid);
  return [pid, ...first, ...first.flatMap(childrenOf)];
}

/**
 * Gives the agent's side a connection table as large as a guest of that memory has: the kernel sizes
 * it at twice the TIME_WAIT limit (net/ipv4/tcp.c, tcp_init). Kernels before 6.1 share one table.
 */
function sizeConnectionTable(timeWaitLimit: number | null): void {
  const path = '/proc/sys/net/ipv4/tcp_child_ehash_entries';
  if (timeWaitLimit !== null && existsSync(path)) writeFileSync(path, String(2 * timeWaitLimit));
}

async function startAgent(
  guest: GuestLimits,
  command: readonly string[],
  confineTo: string | undefined,
  onHolder: (child: ChildProcess) => void,
): Promise<AgentProcess> {
  const [program, ...args] = [
    ...UNSHARE,
    'sh',
    '-c',
    HOLDER,
    'sh',
    guest.timeWaitLimit?.toString() ?? '',
    guest.portRange?.join(' ') ?? '',
    confineTo ?? '',
    process.cwd(),
    ...command,
  ];
  const holder = spawn(program ?? '', args, {
    stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
    env: plainEnvironment({ ...inheritedInterlock(), GOTRACEBACK: 'all' }),
  });
  onHolder(holder);
  const [stdin, stdout, , reports, stderr] = holder.stdio;
  if (!stdin || !stdout || !stderr || !reports) throw new Error('the agent side has no pipes');
  const gone = exitOf(holder);
  stdin.on('error', () => {});
  const lines = new Reports(reports as Readable, gone);
  await lines.until('up');
  await runTool('ip', ['-batch', '-'], cable(holder.pid ?? 0)).catch(async (thrown) => {
    // There is no cable to a side that has just ended: then that is the cause.
    await sleepUntil(monotonicMs() + CAUSE_TOLD_WITHIN_MS);
    throw lines.whyEnded() ?? thrown;
  });
  stdin.write('go\n');
  const limits = readLimits(await lines.until('ready'));
  const exited = lines.exit();
  const agentPid = (): number | undefined => {
    const [init] = childrenOf(holder.pid ?? 0);
    return init === undefined ? undefined : childrenOf(init)[0];
  };
  const signalTree = (name: NodeJS.Signals): void => {
    for (const pid of treeOf(agentPid())) signal(pid, name);
  };
  const pathOf = (path: string): string | undefined => {
    const pid = agentPid();
    return pid === undefined ? undefined : `/proc/${pid}/root${path}`;
  };
  return {
    pid: agentPid,
    stdout: stdout as Readable,
    stderr: stderr as Readable,
    exited,
    limits,
    reader: netnsReader(holder.pid ?? 0, MMDS, limits.ports),
    terminate: () => signal(agentPid(), 'SIGTERM'),
    quit: () => signalTree('SIGQUIT'),
    pause: () => signalTree('SIGSTOP'),
    resume: () => signalTree('SIGCONT'),
    pathOf,
    rootFile: (path) => readProc(pathOf(path) ?? ''),
    destroy: async () => {
      // Its first process ends, and with it all that the agent started (pid_namespaces(7)).
      const [init] = childrenOf(holder.pid ?? 0);
      signal(init, 'SIGKILL');
      holder.kill('SIGKILL');
      await gone;
    },
  };
}

function inheritedInterlock(): Record<string, string> {
  const { ENVD_BENCH_ORIGIN_NETNS } = process.env;
  return ENVD_BENCH_ORIGIN_NETNS ? { ENVD_BENCH_ORIGIN_NETNS } : {};
}

/** The veth pair: one end here, the other as eth0 in the namespace of process `pid`. */
function cable(pid: number): string {
  return `link add ${HOST_DEVICE} type veth peer name eth0 netns ${pid}
addr add ${GATEWAY}/30 dev ${HOST_DEVICE}
addr add ${MMDS.host}/32 dev ${HOST_DEVICE}
link set ${HOST_DEVICE} up
`;
}

/** Lines that the holder reports on its file 3. */
class Reports {
  private readonly lines: string[] = [];
  private wake: () => void = () => {};
  private ended: Exit | undefined;

  constructor(stream: Readable, gone: Promise<Exit>) {
    onLines(stream, 1024, (line) => {
      this.lines.push(line);
      this.wake();
    });
    void gone.then((exit) => {
      this.ended = exit;
      this.wake();
    });
  }

  /** All lines up to and without `word`. @throws Error with what was said, when it never comes */
  async until(word: string): Promise<string[]> {
    for (;;) {
      const at = this.lines.indexOf(word);
      if (at >= 0) return this.lines.splice(0, at + 1).slice(0, -1);
      const error = this.whyEnded();
      if (error) throw error;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  /** Why the side cannot be had; undefined while it can. */
  whyEnded(): Error | undefined {
    const status = this.lines.find((line) => line.startsWith('status '));
    if (!this.ended && !this.lines.includes('failed')) return undefined;
    const tool = exitOfStatus(Number(status?.slice('status '.length)));
    if (tool.signal) return new Error(`cannot set up the agent side: a tool ${howEnded(tool)}`);
    if (this.ended?.signal) {
      return new Error(`cannot set up the agent side: its first process ${howEnded(this.ended)}`);
    }
    return new Error(`cannot set up the agent side: ${this.lines[0] ?? 'it ended at once'}`);
  }

  /** How the agent ended: by itself, or with the holder. */
  async exit(): Promise<AgentExit> {
    for (;;) {
      const line = this.lines.find((one) => one.startsWith('exit '));
      if (line) return exitOfStatus(Number(line.slice('exit '.length)));
      if (this.ended) return { ...this.ended, wasSide: true };
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }
}

function readLimits(lines: readonly string[]): Limits {
  const values = new Map(
    lines.map((line) => {
      const space = line.indexOf(' ');
      return [line.slice(0, space), line.slice(space + 1)] as const;
    }),
  );
  const timeWait = Number(values.get('tcp_max_tw_buckets') || Number.NaN);
  return {
    ports: portCapacity(
      values.get('ip_local_port_range') ?? '',
      values.get('ip_local_reserved_ports') ?? '',
    ),
    timeWait: Number.isFinite(timeWait) ? timeWait : null,
  };
}

/**
 * Ephemeral ports per destination.
 * @param range `ip_local_port_range`: two numbers, both included
 * @param reserved `ip_local_reserved_ports`: a comma list of ports and LO-HI ranges
 * @returns null when the range cannot be read
 */
export function portCapacity(range: string, reserved: string): number | null {
  const [low, high] = range.trim().split(/\s+/).map(Number);
  if (low === undefined || high === undefined || !(0 <= low && low <= high && high <= 65_535))
    return null;
  let taken = 0;
  for (const part of reserved.trim().split(',')) {
    const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? [];
    if (from === undefined) continue;
    taken += Math.max(0, Math.min(Number(to), high) - Math.max(Number(from), low) + 1);
  }
  return Math.max(0, high - low + 1 - taken);
}

function signal(pid: number | undefined, name: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(pid, name);
  } catch {
    // It has ended by itself.
  }
}

function exitOf(child: ChildProcess): Promise<Exit> {
  let words = '';
  child.stderr?.on('data', (piece: Buffer) => {
    words = (words + piece.toString('utf8')).slice(-TAIL);
  });
  return new Promise((resolve) => {
    child.once('error', ({ message }) => resolve({ code: null, signal: null, error: message }));
    child.once('close', (code, signal) => resolve(exitInside({ code, signal }, words)));
  });
}
