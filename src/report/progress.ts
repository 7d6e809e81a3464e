import { createLogUpdate } from 'log-update';
import { cleanText } from '../base/text.js';
import type { Sample } from '../results/thin.js';
import { toAscii, wrapWords } from './layout.js';
import {
  type LiveLane,
  type LiveState,
  liveFrame,
  liveLine,
  WATCHED,
  type Watched,
} from './live.js';
import { type OutputStream, type Terminal, terminalOf } from './terminal.js';

/** Shows how a run goes on. Nothing here ever throws because of the stream. */
export interface Progress {
  /** A run begins. Also for the next one, after {@link Progress.stop}. */
  start(lanes: readonly string[], outageMs: number): void;
  /** A lane's newest reading. */
  sample(lane: string, sample: Sample): void;
  /** A line that stays. Escapes and control characters are taken out of it. */
  say(line: string): void;
  /** The run is over: the picture is gone and the cursor is back. */
  stop(): void;
}

export interface ProgressOptions {
  /** Whether the stream is a terminal. Where it is none, no escape byte is written to it. */
  isTTY: boolean;
  env: NodeJS.ProcessEnv;
  /** A clock in milliseconds, for tests; default: the monotonic clock. */
  now?: () => number;
}

/** At most ten pictures a second. */
const FRAME_MS = 100;
/** Without a terminal: the time between two lines. */
const LINE_MS = 5000;
/** More points than a terminal is wide. */
const MOST_POINTS = 400;

const HIDE_CURSOR = '\u001B[?25l';
const SHOW_CURSOR = '\u001B[?25h';

/** A live view on a terminal; anywhere else a plain line every five seconds. */
export function createProgress(stream: OutputStream, options: ProgressOptions): Progress {
  const output = new QuietStream(stream);
  const look = () => terminalOf(stream, options);
  const now = options.now ?? (() => performance.now());
  return look().live ? new LiveProgress(output, look, now) : new PlainProgress(output, look, now);
}

/** What both ways of showing have in common: the newest figures of every lane. */
class Watch implements LiveState {
  elapsedMs = 0;
  readonly lanes: (LiveLane & { points: Record<Watched, (number | null)[]> })[];

  constructor(
    names: readonly string[],
    readonly outageMs: number,
  ) {
    this.lanes = names.map((name) => ({
      name,
      points: { pollers: [], connectionsPerSecond: [], portsInUse: [] },
    }));
  }

  add(name: string, sample: Sample): void {
    const lane = this.lanes.find((one) => one.name === name);
    if (!lane) return;
    // Of the newest sample, not the largest time: lanes that run in turn start again at 0.
    this.elapsedMs = sample.tMs;
    for (const watched of WATCHED) {
      const points = lane.points[watched];
      points.push(sample[watched]);
      if (points.length > MOST_POINTS) points.shift();
    }
  }
}

class PlainProgress implements Progress {
  #watch: Watch | undefined;
  #lineAt = 0;

  constructor(
    readonly output: QuietStream,
    readonly look: () => Terminal,
    readonly now: () => number,
  ) {}

  start(lanes: readonly string[], outageMs: number): void {
    this.#watch = new Watch(lanes, outageMs);
    this.#lineAt = this.now() + LINE_MS;
  }

  sample(lane: string, sample: Sample): void {
    if (!this.#watch) return;
    this.#watch.add(lane, sample);
    const now = this.now();
    if (now < this.#lineAt) return;
    // Steps of five seconds from the start; a late line does not make the next one late.
    while (this.#lineAt <= now) this.#lineAt += LINE_MS;
    this.say(liveLine(this.#watch));
  }

  say(line: string): void {
    this.output.write(`${shown(line, this.look())}\n`);
  }

  stop(): void {
    this.#watch = undefined;
  }
}

class LiveProgress implements Progress {
  readonly #draw: ReturnType<typeof createLogUpdate>;
  #watch: Watch | undefined;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  readonly #redraw = () => this.#frame();
  readonly #showCursor = () => this.output.write(SHOW_CURSOR);

  constructor(
    readonly output: QuietStream,
    readonly look: () => Terminal,
    readonly now: () => number,
  ) {
    // log-update hides the cursor of stderr, whatever stream it draws on; so that is done here.
    this.#draw = createLogUpdate(output.terminal(), { showCursor: true });
  }

  start(lanes: readonly string[], outageMs: number): void {
    this.stop();
    this.#watch = new Watch(lanes, outageMs);
    this.output.write(HIDE_CURSOR);
    // A process that ends without stop() must not leave its user without a cursor.
    process.once('exit', this.#showCursor);
    this.output.stream.on('resize', this.#redraw);
    this.#frame();
  }

  sample(lane: string, sample: Sample): void {
    if (!this.#watch) return;
    this.#watch.add(lane, sample);
    const wait = this.#drawnAt + FRAME_MS - this.now();
    if (wait <= 0) this.#frame();
    else this.#timer ??= setTimeout(this.#redraw, wait).unref();
  }

  say(line: string): void {
    this.#draw.clear();
    const terminal = this.look();
    const lines = wrapWords(shown(line, terminal), terminal.columns, '  ');
    this.output.write(`${lines.join('\n')}\n`);
    this.#frame();
  }

  stop(): void {
    if (!this.#watch) return;
    this.#watch = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.output.stream.removeListener('resize', this.#redraw);
    process.removeListener('exit', this.#showCursor);
    this.#draw.clear();
    this.#showCursor();
  }

  #frame(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const terminal = this.look();
    if (!this.#watch || !terminal.live) return;
    this.#drawnAt = this.now();
    this.#draw(liveFrame(this.#watch, terminal));
  }
}

/** Streams whose errors are taken care of already. */
const quieted = new WeakSet<object>();

/** A stream whose reader may go away (`2>&1 | head`): then there is simply no more output. */
class QuietStream {
  constructor(readonly stream: OutputStream) {
    if (quieted.has(stream)) return;
    quieted.add(stream);
    // It stays for good: the error of a last write arrives after stop().
    stream.on('error', () => undefined);
  }

  write(text: string): boolean {
    const { stream } = this;
    if (!stream.writable) return false;
    try {
      return stream.write(text);
    } catch {
      return false;
    }
  }

  /** The same for log-update: it asks for the terminal's size at every picture. */
  terminal(): NodeJS.WritableStream {
    return new Proxy(this.stream, {
      get: (stream, name) =>
        name === 'write' ? (text: string) => this.write(text) : Reflect.get(stream, name),
    });
  }
}

function shown(line: string, terminal: Terminal): string {
  const clean = cleanText(line, 4000);
  return terminal.unicode ? clean : toAscii(clean);
}
