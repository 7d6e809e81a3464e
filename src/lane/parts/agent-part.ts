import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import type { Counters } from '../../agents/counters.js';
import { newCounters } from '../../agents/counters.js';
import { cleanText } from '../../base/text.js';
import type { AgentProcess, Exit } from '../network/network.js';

/** How much of what an agent prints is kept for an error text, characters. */
const TAIL = 2_000;

const countersLine = z.object({
  counters: z.object(
    Object.fromEntries(
      Object.keys(newCounters()).map((name) => [name, z.number().int().nonnegative()]),
    ) as Record<keyof Counters, z.ZodNumber>,
  ),
  final: z.boolean(),
});

/** A running agent as its lane sees it: its process, the last of what it said, what it counts. */
export class AgentPart {
  /** The latest counters of a reference agent; null before the first, and for an external agent. */
  counters: Counters | null = null;
  /** Settles when the agent has printed its last counters or ended. */
  readonly finalCounters: Promise<void>;
  /** Set when the agent ended although nobody asked it to. */
  died: Exit | undefined;
  private readonly tail = { stdout: '', stderr: '' };
  private asked = false;

  constructor(
    readonly process: AgentProcess,
    onDeath: () => void,
  ) {
    this.finalCounters = new Promise((resolve) => {
      this.listen(process.stdout, (line) => {
        if (this.readCounters(line)) resolve();
      });
      void process.exited.then(() => resolve());
    });
    this.collect(process.stderr, 'stderr');
    void process.exited.then((exit) => {
      if (this.asked) return;
      this.died = exit;
      onDeath();
    });
  }

  /** Asks the agent to end; from now on its end is no surprise. */
  terminate(): void {
    this.asked = true;
    this.process.terminate();
  }

  async destroy(): Promise<void> {
    this.asked = true;
    await this.process.destroy();
  }

  /** The last line that it printed on stderr, or else on stdout, fit to be shown. */
  lastWords(): string {
    const text = this.tail.stderr.trim() || this.tail.stdout.trim();
    return cleanText(text.split('\n').at(-1) ?? '', 300);
  }

  /** @returns true for the last counters of all */
  private readCounters(line: string): boolean {
    if (!line.startsWith('{"counters"')) {
      this.keep('stdout', `${line}\n`);
      return false;
    }
    try {
      const { counters, final } = countersLine.parse(JSON.parse(line));
      this.counters = counters;
      return final;
    } catch {
      return false;
    }
  }

  private listen(stream: Readable, onLine: (line: string) => void): void {
    stream.on('error', () => {});
    createInterface({ input: stream }).on('line', onLine);
  }

  private collect(stream: Readable, name: 'stderr'): void {
    stream.on('error', () => {});
    stream.on('data', (piece: Buffer) => this.keep(name, piece.toString('utf8')));
  }

  private keep(name: 'stdout' | 'stderr', text: string): void {
    this.tail[name] = (this.tail[name] + text).slice(-TAIL);
  }
}
