import { Errors, run } from '@oclif/core';
import { EXIT, messageOf, UsageError } from './base/errors.js';

/** Runs the command line and sets the exit code. Errors are one line; `DEBUG=*` adds the stack. */
export async function main(argv: string[]): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) {
    // A reader that has gone away (`| head -1`) ends the output, not the work.
    stream.on('error', () => {});
  }
  try {
    await run(argv, import.meta.url);
  } catch (thrown) {
    if (thrown instanceof Errors.ExitError) {
      process.exitCode = thrown.oclif.exit ?? EXIT.ok;
      return;
    }
    const isExpected = thrown instanceof UsageError || thrown instanceof Errors.CLIError;
    process.stderr.write(`envd-bench: ${isExpected ? oneLine(messageOf(thrown)) : bug(thrown)}\n`);
    if (process.env.DEBUG && thrown instanceof Error) process.stderr.write(`${thrown.stack}\n`);
    process.exitCode = EXIT.unusable;
  }
}

function oneLine(message: string): string {
  return message
    .split(/\s*\n\s*/)
    .join(' ')
    .trim();
}

function bug(thrown: unknown): string {
  return `unexpected: ${oneLine(messageOf(thrown))}. Run it again with DEBUG=* to see where`;
}
