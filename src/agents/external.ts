import {
  accessSync,
  closeSync,
  constants,
  openSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { parseArgsStringToArgv } from 'string-argv';
import { UsageError } from '../base/errors.js';
import { cleanText, quoted } from '../base/text.js';

/** ELF machine numbers of the processors that Node runs on (elf.h, EM_…). */
const ELF_MACHINE: Record<string, number> = {
  x64: 62,
  arm64: 183,
  arm: 40,
  ia32: 3,
  ppc64: 21,
  s390x: 22,
  riscv64: 243,
};

/**
 * Reads the command of an external agent: a program and its arguments, split without a shell.
 * @param text what was typed behind `NAME=`, e.g. `./envd -isnotfc -no-cgroups`
 * @returns the program as an absolute path, and its arguments
 * @throws UsageError in one line: not found, no file, not executable, of another processor
 */
export function parseAgentCommand(text: string): string[] {
  const [typed = '', ...args] = parseArgsStringToArgv(text);
  const mend = 'Give it as --agent NAME=PATH, or with arguments --agent "NAME=PATH -isnotfc"';
  if (typed === '') throw new UsageError('--agent has an empty command', mend);
  const program = find(typed);
  if (!program) throw new UsageError(`--agent: there is no program ${shown(typed)}`, mend);
  try {
    if (!statSync(program).isFile()) throw new Error('not a file');
    accessSync(program, constants.X_OK);
  } catch {
    throw new UsageError(
      `--agent: ${shown(typed)} is not an executable file`,
      `chmod +x ${cleanText(typed)}`,
    );
  }
  const obstacle = whyNotRunnable(program);
  if (obstacle) throw new UsageError(`--agent: ${shown(typed)} ${obstacle}`, mend);
  return [realpathSync(program), ...args];
}

/** A path as typed, with `~`; a bare name is looked for in PATH. */
function find(typed: string): string | undefined {
  if (typed === '~' || typed.startsWith('~/')) return existing(join(homedir(), typed.slice(1)));
  if (typed.includes('/')) return existing(resolve(typed));
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => existing(join(folder || '.', typed)))
    .find((path) => path !== undefined);
}

function existing(path: string): string | undefined {
  try {
    return statSync(path).isDirectory() ? undefined : path;
  } catch {
    // Not there, or in a folder that may not be looked into.
    return undefined;
  }
}

/** Looks at the first bytes: a script, or an ELF file for this processor. */
function whyNotRunnable(program: string): string | undefined {
  const head = Buffer.alloc(20);
  let length: number;
  try {
    const file = openSync(program, 'r');
    length = readSync(file, head);
    closeSync(file);
  } catch {
    // Executable but not readable: the kernel will tell.
    return undefined;
  }
  if (head.toString('latin1', 0, 2) === '#!') return undefined;
  if (length < 20 || head.toString('latin1', 1, 4) !== 'ELF') {
    return 'is neither a script nor a Linux program';
  }
  const isLittle = head[5] === 1;
  const machine = isLittle ? head.readUInt16LE(18) : head.readUInt16BE(18);
  return machine === ELF_MACHINE[process.arch]
    ? undefined
    : `is for another processor (ELF machine ${machine}, this is ${process.arch})`;
}

function shown(text: string): string {
  return quoted(text);
}
