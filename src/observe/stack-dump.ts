/** What a Go program's stack dump (SIGQUIT) says of its polling. */
export interface StackDump {
  goroutines: number;
  /** Goroutines inside the poll function that an `/init` started. */
  pollers: number;
  /** Goroutines inside it that the program started at boot (created by main). */
  bootPollers: number;
}

/** With this the runtime begins a dump that a signal asked for (Go runtime/signal_unix.go, sighandler). */
const BEGINNING = 'SIGQUIT: quit';

/** A line longer than this is no line of a dump; what is over is passed over. */
const LONGEST_LINE = 4_096;

/**
 * Counts a goroutine dump as it streams by: it may be hundreds of megabytes, of which only the
 * current goroutine's findings are kept. What comes before its first line is none of it: a trace that was
 * printed in mid-run may be read late. Works on stripped binaries too: the runtime has the names
 * in its own tables. Format: Go runtime/traceback.go, `goroutine N [state]:`, frames as
 * `pkg.func(args)`, at the end `created by pkg.func in goroutine N`.
 */
export class StackDumpReader {
  private readonly dump: StackDump = { goroutines: 0, pollers: 0, bootPollers: 0 };
  private line = '';
  private isPolling = false;
  private isBoot = false;
  /** Whether a dump is under way, or was. */
  hasBegun = false;
  private seen = false;

  /** @param pollFunction the name of the function that polls, without its package */
  constructor(private readonly pollFunction: string) {}

  /** Takes the next piece of text. */
  push(piece: string): void {
    const lines = piece.split('\n');
    const last = lines.pop() ?? '';
    for (const rest of lines) {
      this.read((this.line + rest).slice(0, LONGEST_LINE));
      this.line = '';
    }
    this.line = (this.line + last).slice(0, LONGEST_LINE);
  }

  /** The counts; undefined when no dump was seen. */
  end(): StackDump | undefined {
    this.read(this.line);
    this.line = '';
    this.finishGoroutine();
    return this.seen ? { ...this.dump } : undefined;
  }

  private read(line: string): void {
    if (!this.hasBegun) {
      // At the end of a line that the program itself left open, if it did.
      this.hasBegun = line.endsWith(BEGINNING);
      return;
    }
    // Goroutine 0 is the scheduler's own stack, no goroutine.
    if (/^goroutine [1-9]\d* .*\[.*\]:$/.test(line)) {
      this.finishGoroutine();
      this.seen = true;
      this.dump.goroutines++;
    } else if (line.startsWith('created by ')) {
      // A plain function of package main, such as main.run; no method of an API.
      if (/^created by main\.\w+(?: in |$)/.test(line)) this.isBoot = true;
    } else if (this.seen && line.includes(`.${this.pollFunction}(`)) {
      this.isPolling = true;
    }
  }

  private finishGoroutine(): void {
    if (this.isPolling) this.dump[this.isBoot ? 'bootPollers' : 'pollers']++;
    this.isPolling = false;
    this.isBoot = false;
  }
}
