import { Command, Errors } from '@oclif/core';
import { UsageError } from '../base/errors.js';
import { nearest } from '../base/nearest.js';
import { cleanText } from '../base/text.js';

/** What all commands share: errors with a mend, and no output to a pipe that was closed. */
export abstract class BaseCommand extends Command {
  static override enableJsonFlag = false;

  /** Oclif says what is wrong with a flag; what to do about it is said here. */
  protected override async catch(thrown: Error & { exitCode?: number }): Promise<void> {
    const isParsing = thrown instanceof Errors.CLIError && !(thrown instanceof Errors.ExitError);
    throw isParsing ? this.withMend(thrown.message) : thrown;
  }

  /**
   * Writes data to stdout; a reader that has gone away (`| head -1`) is no error.
   * @returns whether all of it was written
   */
  protected print(text: string): Promise<boolean> {
    return new Promise((resolve) => {
      process.stdout.write(text, (error) => resolve(!error));
    });
  }

  private withMend(message: string): UsageError {
    const what = cleanText(
      message
        .replace(/\s*See more help with --help\s*$/, '')
        .replace(/^The following error occurred:\s*/, '')
        .replaceAll(/\s*\n\s*/g, ' ')
        .replace(/\.$/, ''),
      400,
    );
    const help = `see ${this.config.bin} ${this.id} --help`;
    const unknown = /^Nonexistent flags?: (\S+?)(?:,|$)/.exec(what)?.[1];
    if (unknown) {
      const names = Object.keys(this.ctor.flags).map((name) => `--${name}`);
      const guess = nearest(unknown, names);
      return new UsageError(
        what,
        `${guess ? `Did you mean ${guess}? For` : 'For'} all flags ${help}`,
      );
    }
    const wanting = /^(?:Flag --|Missing required flag )([\w-]+)/.exec(what)?.[1];
    const flag = this.ctor.flags[wanting ?? ''];
    if (wanting && flag?.type === 'option') {
      const value = [flag.helpValue ?? flag.default].flat()[0];
      const example = typeof value === 'string' || typeof value === 'number' ? value : 'VALUE';
      return new UsageError(what, `Give it as --${wanting} ${example}: ${help}`);
    }
    return new UsageError(what, `For what it takes ${help}`);
  }
}
