import { Command } from '@oclif/core';

/** What all commands share: exit codes in the help, and no output to a pipe that was closed. */
export abstract class BaseCommand extends Command {
  static override enableJsonFlag = false;

  /** Writes data to stdout; a reader that has gone away (`| head -1`) is no error. */
  protected async print(text: string): Promise<void> {
    await new Promise<void>((resolve) => {
      process.stdout.write(text, () => resolve());
    });
  }
}
