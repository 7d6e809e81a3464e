import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** What dies, or stands still. `tool` is whatever program is run for a moment in set-up. */
export const VICTIMS = [
  'main',
  'lane host',
  'lane wrapper',
  'agent',
  'MMDS',
  'side holder',
  'side wrapper',
  'tool',
] as const;
export type Victim = (typeof VICTIMS)[number];

/** A process of one run. */
export interface Seen {
  pid: number;
  /** Clock ticks after boot; with the pid it names a process for good (proc_pid_stat(5)). */
  startedAt: string;
  /** What it is; undefined for none of the victims. */
  victim: Victim | undefined;
  command: string;
}

/**
 * The processes of one run: all that it starts inherit its HOME, which is a folder of its own.
 * @param home the whole path
 */
export function processesOf(home: string): Seen[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const environment = read(`/proc/${name}/environ`).split('\0');
      if (!environment.includes(`HOME=${home}`)) return [];
      const stat = read(`/proc/${name}/stat`);
      const startedAt = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
      if (startedAt === undefined) return [];
      const words = read(`/proc/${name}/cmdline`).split('\0');
      return [
        { pid: Number(name), startedAt, victim: victimOf(words), command: words.join(' ').trim() },
      ];
    });
}

/** The namespaces of a process, e.g. `net:[4026532001]`. */
export function namespacesOf(pid: number | 'self'): string[] {
  return ['net', 'mnt', 'pid', 'user'].flatMap((kind) => {
    const link = readNamespace(pid, kind);
    return link === undefined ? [] : [link];
  });
}

/**
 * Every namespace that a process is in, but for those of other runs: the kernel gives the number of a
 * namespace that has ended to another one.
 * @param home the HOME of the run
 */
export function namespacesInUse(home: string): Set<string> {
  const pids = readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    const [, other] = /(?:^|\0)HOME=([^\0]*)/.exec(read(`/proc/${name}/environ`)) ?? [];
    return other === undefined || other === home;
  });
  return new Set(pids.flatMap((pid) => namespacesOf(Number(pid))));
}

function victimOf(words: readonly string[]): Victim | undefined {
  const program = words[0]?.split('/').at(-1);
  const names = (script: string): boolean => words.some((word) => word.endsWith(script));
  const isSide = words.includes('-c');
  if (program === 'ip' || program === 'setpriv') return 'tool';
  if (program === 'unshare') {
    if (isSide && names('agents/process.js')) return 'side wrapper';
    return names('lane/host.js') ? 'lane wrapper' : 'tool';
  }
  if (program === 'sh') return names('agents/process.js') ? 'side holder' : 'tool';
  if (names('agents/process.js')) return 'agent';
  if (names('mmds/process.js')) return 'MMDS';
  if (names('lane/host.js')) return 'lane host';
  return names('bin/run.js') ? 'main' : undefined;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // It has ended, or belongs to somebody else.
    return '';
  }
}

function readNamespace(pid: number | 'self', kind: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/${kind}`);
  } catch {
    return undefined;
  }
}
