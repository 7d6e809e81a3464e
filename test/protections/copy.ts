import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { processesWith } from '../e2e/cli.js';
import { processesOf } from '../soak/victims.js';

/** No test takes longer; one that hangs has failed, ms. */
const WITHIN_MS = 240_000;

/** How long the last lines of a test file may take after its end: what it left may hold its output open. */
const LAST_LINES_MS = 2_000;

/** What a test file came to. */
export interface Tested {
  passed: number;
  /** Those that failed; 1 where the whole file hung or crashed. */
  failed: number;
  /** Those that cannot run here, by their own word. */
  skipped: number;
  /** The first failure, in one line; undefined when there is none. */
  why: string | undefined;
  /** The end of what was printed. */
  output: string;
}

/** A copy of the repository that may be changed, with the dependencies of the original. */
export class WorkingCopy {
  readonly root: string;
  private readonly home: string;
  private readonly temporary: string;

  /** @param folder where the copy goes; all that the tests make goes there too */
  constructor(private readonly folder: string) {
    this.root = join(folder, 'copy');
    this.home = join(folder, 'home');
    this.temporary = join(folder, 'tmp');
    // Tests change the user: everybody may read what they run.
    for (const path of [folder, this.root, this.home, this.temporary]) {
      mkdirSync(path, { recursive: true });
      chmodSync(path, 0o755);
    }
    for (const name of readdirSync('.')) {
      if (['.git', 'node_modules', 'bench-results'].includes(name)) continue;
      cpSync(name, join(this.root, name), { recursive: true, preserveTimestamps: true });
    }
    cpSync('bench-results', join(this.root, 'bench-results'), {
      recursive: true,
      filter: (path) => !path.includes('partial'),
    });
    symlinkSync(resolve('node_modules'), join(this.root, 'node_modules'));
  }

  /** Compiles what was changed; types are not looked at: without a protection names may be unused. */
  build(): void {
    execFileSync('npx', ['tsc', '--noCheck'], { cwd: this.root, stdio: 'pipe' });
  }

  /**
   * Runs one test file.
   * @param only a regular expression of the names of those in it that are run
   */
  test(name: string, only?: string): Promise<Tested> {
    const pattern = only === undefined ? [] : [`--test-name-pattern=${only}`];
    const child = spawn(
      process.execPath,
      ['--test', '--test-reporter=tap', ...pattern, `dist/test/${name}.test.js`],
      {
        cwd: this.root,
        env: { ...process.env, HOME: this.home, TMPDIR: this.temporary, NODE_OPTIONS: '' },
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: WITHIN_MS,
        killSignal: 'SIGKILL',
      },
    );
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (piece: string) => {
        output = (output + piece).slice(-1_000_000);
      });
    }
    return new Promise((done, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => {
        const timer = setTimeout(() => done(outcomeOf(output, code)), LAST_LINES_MS);
        child.once('close', () => {
          clearTimeout(timer);
          done(outcomeOf(output, code));
        });
      });
    });
  }

  /** Ends what a test without a protection may have left running. */
  endAll(): void {
    const left = processesOf(this.home).map(({ pid }) => pid);
    const named = processesWith(this.folder).map((line) => Number.parseInt(line, 10));
    for (const pid of new Set([...left, ...named])) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
    }
  }
}

function outcomeOf(output: string, code: number | null): Tested {
  const count = (what: string): number =>
    Number(new RegExp(`^# ${what} (\\d+)$`, 'm').exec(output)?.[1] ?? 0);
  const failed = Math.max(count('fail') + count('cancelled'), code === 0 ? 0 : 1);
  const [, failure] = /^ *not ok \d+ - (.*)$/m.exec(output) ?? [];
  const [, error] = /^ *error: (?:\|-\s*)?(.*)$/m.exec(output) ?? [];
  const why = `${failure ?? `the file ended with ${code ?? 'a signal'}`}: ${error ?? ''}`;
  return {
    passed: count('pass'),
    failed,
    output: output.slice(-8_000),
    skipped: (output.match(/^ *ok .* # SKIP (?!test name does not match pattern)/gm) ?? []).length,
    why: failed > 0 ? why.slice(0, 200) : undefined,
  };
}
