import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { z } from 'zod';
import { type Counters, newCounters } from '../../agents/counters.js';
import { monotonicMs, sleepUntil } from '../../base/clock.js';
import { onLines } from '../../base/lines.js';
import { cleanText } from '../../base/text.js';
import { LoopMeters } from '../../observe/loop-meter.js';
import { type StackDump, StackDumpReader } from '../../observe/stack-dump.js';
import { howEnded } from '../death.js';
import type { AgentExit, AgentProcess } from '../network/network.js';
import type { LaneSpec } from '../spec.js';

/**
 * Counters older than this are none, ms: the agent prints them ten times a second, and one that does
 * not any more may have any number of pollers.
 */
const STALE_AFTER_MS = 1_000;

/** How much of what an agent prints is kept for an error text, characters. */
const TAIL = 2_000;

/**
 * How long a stack dump may take to begin, ms: Go's runtime prints its first line in the signal's own handler. A
 * program that is deaf to SIGQUIT never begins.
 */
const DUMP_BEGINS_WITHIN_MS = 15_000;

/** A line of counters is shorter than this, characters. */
const LONGEST_LINE = 65_536;

/** More threads than an agent starts. */
const MOST_LOOPS = 64;

const countersLine = z.object({
  counters: z.object(
    Object.fromEntries(
      Object.keys(newCounters()).map((name) => [name, z.number().int().nonnegative()]),
    ) as Record<keyof Counters, z.ZodNumber>,
  ),
  final: z.boolean(),
  /** The main thread's event loop, and those of its pollers' threads. */
  loops: z
    .array(z.object({ atMs: z.number(), activeMs: z.number().nonnegative() }))
    .min(1)
    .max(MOST_LOOPS),
});

/**
 * A running agent as its lane sees it: its process, the last of what it said, and what it tells of
 * its pollers: counters if it is a reference agent, a stack dump at its end if it is a Go program.
 */
export class AgentPart {
  /** The latest counters of a reference agent; null before the first, and for an external agent. */
  counters: Counters | null = null;
  /** When the agent read them, on the monotonic clock, ms. */
  countedAtMs: number | null = null;
  /** The event loops of a reference agent. */
  readonly loop = new LoopMeters();
  /** Set when the agent ended although nobody asked it to. */
  died: AgentExit | undefined;
  /** How it ended, asked or not; undefined while it lives. */
  exit: AgentExit | undefined;
  private readonly final: Promise<void>;
  private dumpReader: StackDumpReader | undefined;
  private readonly tail = { stdout: '', stderr: '' };
  private asked = false;

  constructor(
    private readonly spec: LaneSpec['agent'],
    readonly process: AgentProcess,
    /** Is told how the agent gave up although nobody asked it to, in words that follow its name. */
    private readonly onDeath: (how: string) => void,
  ) {
    this.final = new Promise((resolve) => {
      if (spec.kind === 'reference') this.readCounterLines(process.stdout, resolve);
      else this.collect(process.stdout, 'stdout');
      void process.exited.then(() => resolve());
    });
    this.collect(process.stderr, 'stderr');
    void process.exited.then((exit) => {
      this.exit = exit;
      if (this.asked) return;
      this.died = exit;
      onDeath(
        exit.wasSide
          ? `ended with the first process of its side, which ${howEnded(exit)}`
          : howEnded(exit),
      );
    });
  }

  /**
   * Ends the polling. A reference agent stops at once and goes on answering; an external one dumps
   * its stacks and ends, or is left as it is where no dump is wanted.
   * @returns settles when there is no more to be learned of its pollers
   */
  async stopPolling(): Promise<void> {
    this.asked = true;
    // It has stopped already: to a second signal it would end.
    if (this.hasFinalCounters) return;
    if (this.spec.kind === 'reference') {
      this.process.terminate();
    } else if (this.spec.pollFunction !== null) {
      // Only now: a trace that it printed before, of a panic say, is no dump.
      this.dumpReader = new StackDumpReader(this.spec.pollFunction);
      this.process.quit();
      await Promise.race([this.final, this.dumpIsMissing()]);
      return;
    } else return;
    await this.final;
  }

  /** Settles when no dump has begun in time; never while one is under way. */
  private async dumpIsMissing(): Promise<void> {
    await sleepUntil(monotonicMs() + DUMP_BEGINS_WITHIN_MS);
    if (this.dumpReader?.hasBegun) await this.final;
  }

  /** The counters, where they are those of this moment; null otherwise. */
  get freshCounters(): Counters | null {
    const isFresh =
      this.hasFinalCounters || monotonicMs() - (this.countedAtMs ?? 0) <= STALE_AFTER_MS;
    return isFresh ? this.counters : null;
  }

  /** What its stack dump said; undefined when there was none, or the agent did not end with it. */
  stackDump(): StackDump | undefined {
    return this.exit ? this.dumpReader?.end() : undefined;
  }

  /** Whether the counters are those after the end of the polling. */
  hasFinalCounters = false;

  async destroy(): Promise<void> {
    this.asked = true;
    await this.process.destroy();
  }

  /** The last line that it printed on stderr, or else on stdout, fit to be shown. */
  lastWords(): string {
    const text = this.tail.stderr.trim() || this.tail.stdout.trim();
    return cleanText(text.split('\n').at(-1) ?? '', 300);
  }

  private readCounterLines(stream: Readable, onFinal: () => void): void {
    onLines(stream, LONGEST_LINE, (line) => {
      try {
        const { counters, final, loops } = countersLine.parse(JSON.parse(line));
        this.counters = counters;
        this.countedAtMs = loops[0]?.atMs ?? null;
        this.loop.push(loops);
        if (final) {
          if (!this.asked) this.onDeath('stopped polling unasked, as after a SIGTERM');
          this.hasFinalCounters = true;
          onFinal();
        }
      } catch {
        this.keep('stdout', `${line}\n`);
      }
    });
  }

  private collect(stream: Readable, name: 'stdout' | 'stderr'): void {
    const decoder = new StringDecoder('utf8');
    stream.on('error', () => {});
    stream.on('data', (piece: Buffer) => {
      const text = decoder.write(piece);
      this.keep(name, text);
      if (name === 'stderr') this.dumpReader?.push(text);
    });
  }

  private keep(name: 'stdout' | 'stderr', text: string): void {
    this.tail[name] = (this.tail[name] + text).slice(-TAIL);
  }
}
