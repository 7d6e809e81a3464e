import { codeOf, EXIT, messageOf, UsageError } from './base/errors.js';
import { mendOfLimit } from './base/limits.js';
import { lookUp } from './base/nearest.js';
import { toolVersion } from './experiment/version.js';

/** Runs the command line and sets the exit code. Errors are one line; `DEBUG=*` adds the stack. */
export async function main(argv: string[]): Promise<void> {
  watchOutput();
  if (argv[0] === '--version') {
    printVersion();
    return;
  }
  let errors: typeof import('@oclif/core').Errors | undefined;
  try {
    const [oclif] = await Promise.all([
      import('@oclif/core'),
      import('./commands/index.js').then(({ loadCommands }) => loadCommands(argv[0])),
    ]);
    errors = oclif.Errors;
    // Oclif throws from a listener of its own, where nobody catches it.
    watchOutput();
    await oclif.run(argv, import.meta.url);
  } catch (thrown) {
    if (errors && thrown instanceof errors.ExitError) {
      process.exitCode = thrown.oclif.exit ?? EXIT.ok;
      return;
    }
    const isOclifs = errors !== undefined && thrown instanceof errors.CLIError;
    const isExpected = thrown instanceof UsageError || isOclifs;
    const unknown = isOclifs ? await unknownCommand(thrown) : undefined;
    const line = unknown ?? (isExpected ? expected(thrown) : bug(thrown));
    process.stderr.write(`envd-bench: ${line}\n`);
    if (process.env.DEBUG && thrown instanceof Error) process.stderr.write(`${thrown.stack}\n`);
    process.exitCode = EXIT.unusable;
  }
}

/**
 * Lets no error of the output end the work: a reader that has gone away (`| head -1`) is none at all, and
 * what cannot be written (`> file` on a full disk) is told once, with the exit code.
 */
function watchOutput(): void {
  process.stderr.removeAllListeners('error').on('error', () => {});
  process.stdout.removeAllListeners('error').once('error', (thrown) => {
    process.stdout.on('error', () => {});
    if (codeOf(thrown) === 'EPIPE') return;
    // At the end: the command may yet set a code of its own.
    process.once('exit', () => {
      process.exitCode = EXIT.unusable;
    });
    void import('./results/files.js').then(({ reasonOf }) => {
      process.stderr.write(`envd-bench: cannot write the output: ${reasonOf(thrown)}\n`);
    });
  });
}

/** The line for a command that there is none of; undefined for any other error of oclif's. */
async function unknownCommand(thrown: Error): Promise<string | undefined> {
  const typed = /^command (.*) not found$/s.exec(thrown.message)?.[1];
  if (typed === undefined) return undefined;
  const { commands } = await import('./commands/index.js');
  try {
    lookUp('command', typed, new Map(Object.entries(commands)));
  } catch (mended) {
    return messageOf(mended);
  }
  return undefined;
}

/** An expected error in one line; where a limit of the machine is its cause, with the mend. */
function expected(thrown: unknown): string {
  const line = oneLine(messageOf(thrown));
  const mend = thrown instanceof UsageError && thrown.mend ? undefined : mendOfLimit(line);
  return mend ? `${line}. ${mend}` : line;
}

/** As oclif says it, which takes longer to load than the rest of this. */
function printVersion(): void {
  const { platform, arch, version } = process;
  process.stdout.write(`envd-bench/${toolVersion()} ${platform}-${arch} node-${version}\n`);
}

function oneLine(message: string): string {
  return message
    .split(/\s*\n\s*/)
    .join(' ')
    .trim();
}

function bug(thrown: unknown): string {
  if (mendOfLimit(messageOf(thrown))) return expected(thrown);
  return `unexpected: ${oneLine(messageOf(thrown))}. Run it again with DEBUG=* to see where`;
}
