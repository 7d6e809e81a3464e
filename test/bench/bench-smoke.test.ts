import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { promisify } from 'node:util';

/** Rows of every table: their labels, and in how many of their cells a figure must be. */
const ROWS: Record<string, Record<string, number>> = {
  'Attempts per second per core': {
    'served: envd-bench': 4,
    'served: limit': 4,
    'served: wrk': 4,
    'served: ab': 4,
    'served: autocannon': 4,
    'refused: envd-bench': 4,
    'refused: limit': 4,
    'refused: wrk': 0,
    'refused: ab': 0,
    'refused: autocannon': 4,
  },
  'The figure': {
    'run: refused': 4,
    'run: http-error, envd poller': 4,
    'limit: served, both cores': 1,
  },
  Punctuality: { 'envd-bench': 6, autocannon: 4, vegeta: 4 },
  Watching: {
    'sockets in TIME_WAIT at its begin': 1,
    'at its end': 1,
    samples: 1,
    'sampler, % of a core': 1,
    'ss -tan at the same rate, % of a core': 1,
    'connections: the kernel': 1,
    MMDS: 1,
    'the agent': 1,
    'apart, %': 1,
  },
  Start: {
    'autocannon --version': 2,
    'envd-bench --version': 2,
    'envd-bench plan': 2,
    'lane set-up, two lanes side by side': 1,
  },
  Growth: { '50 pollers': 7, '100 pollers': 7 },
};

/** What a machine may lack. Nothing else, and no failure, stands in for a figure. */
const REASONS = /^(not installed|no compiler|ends when refused)$/;

const FIGURE = /^-?[\d,]+(\.\d+)?( \(.+\.\..+\))?$/;

test('the bench makes all of its tables, every figure a number, and writes none of a smoke run', async () => {
  const document = (): string => {
    try {
      return readFileSync('docs/performance.md', 'utf8');
    } catch {
      return '';
    }
  };
  const before = document();
  const { stdout } = await promisify(execFile)(process.execPath, [
    'dist/bench/bench.js',
    '--smoke',
  ]);
  assert.equal(document(), before);
  assert.doesNotMatch(stdout, /NaN|Infinity|undefined|\[object/);
  const sections = stdout.split(/^## /m).slice(1);
  assert.deepEqual(
    sections.map((text) => text.slice(0, text.indexOf('\n'))),
    Object.keys(ROWS),
  );
  for (const text of sections) checkSection(text);
});

function checkSection(text: string): void {
  const title = text.slice(0, text.indexOf('\n'));
  const rows = new Map(
    [...text.matchAll(/^\| (.*) \|$/gm)]
      .slice(2)
      .map(([, line = '']) => line.split(' | '))
      .map(([label = '', ...cells]) => [label, cells]),
  );
  const expected = ROWS[title] ?? {};
  assert.deepEqual([...rows.keys()], Object.keys(expected), title);
  for (const [label, figures] of Object.entries(expected)) {
    const cells = rows.get(label) ?? [];
    if (cells.some((cell) => REASONS.test(cell))) continue;
    assert.equal(cells.filter((cell) => FIGURE.test(cell)).length, figures, `${label}: ${cells}`);
  }
  assert.match(text, /^- (✔ met|✘ missed|– not measured): /m, title);
  assert.match(text, /^Measured \d{4}-\d\d-\d\d .* UTC on \d+ CPUs, .* kernel .*, node v/m, title);
}

test('a table that is not there, and an option that is not there, are one line and exit code 2', async () => {
  for (const args of [['--only', 'grwoth'], ['--fast']]) {
    const failure = await promisify(execFile)(process.execPath, [
      'dist/bench/bench.js',
      ...args,
    ]).then(
      () => assert.fail('it should fail'),
      (error: { code: number; stderr: string }) => error,
    );
    assert.equal(failure.code, 2);
    assert.equal(failure.stderr.trim().split('\n').length, 1);
  }
});
