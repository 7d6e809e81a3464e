import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { whyNoNamespaces } from '../../src/lane/network/namespaces.js';
import { matrixSchema } from '../../src/results/matrix.js';
import { type Result, resultSchema } from '../../src/results/schema.js';
import { verifySchema } from '../../src/results/verify.js';
import { processesWith, run, start, until } from './cli.js';
import { install } from './install.js';

const { bin, folder } = install();
const noNamespaces = await whyNoNamespaces();
const skip = noNamespaces === undefined ? false : `no user namespaces: ${noNamespaces}`;

const LOOPBACK = ['--isolation', 'loopback'];

/** A folder of its own for each test: what lies in it is what is asserted. */
const fresh = (): string => mkdtempSync(join(folder, 'results-'));

const files = (dir: string, ending: string): string[] =>
  readdirSync(dir).filter((name) => name.endsWith(ending));

const linesOf = (file: string): string[] => readFileSync(file, 'utf8').split('\n').slice(0, -1);

const parse = (json: string): Result => resultSchema.parse(JSON.parse(json));

test('kill -9 in the second repeat: the first is whole, of the second there is what was measured', {
  timeout: 120_000,
}, async () => {
  const dir = fresh();
  const inOut = { cwd: dir };
  const running = start(
    [
      bin,
      'run',
      ...LOOPBACK,
      '--outage',
      '4s',
      '--repeat',
      '2',
      '--out',
      dir,
      '--threshold',
      'guarded.init.answered>=1',
    ],
    inOut,
  );
  const journals = () => files(dir, '.partial.jsonl').map((name) => join(dir, name));
  // For a moment the first repeat has both: its result, and its journal that goes only then.
  await until('the second repeat is under way', () => {
    const [saved] = files(dir, '.json');
    const [journal] = journals();
    if (saved === undefined || journal === undefined) return false;
    return !journal.includes(saved.slice(0, -5)) && linesOf(journal).length > 30;
  });
  const [journal = ''] = journals();

  // Stopped, so that it does not end meanwhile. While it lives it is no leftover: report says so, and shows the one that has ended.
  running.child.kill('SIGSTOP');
  const during = await run([bin, 'report', '--json', '--out', dir], inOut);
  assert.equal(during.code, 0, during.stderr);
  assert.match(
    during.stderr,
    /^envd-bench: a run is still going: envd-bench report .*\.partial\.jsonl/,
  );
  assert.equal(parse(during.stdout).complete, true);

  running.child.kill('SIGKILL');
  await running.finished;
  await until('the lanes are gone', () => processesWith(folder).length === 0);
  assert.deepEqual(journals(), [journal]);
  const [whole = ''] = files(dir, '.json');
  assert.equal(parse(readFileSync(join(dir, whole), 'utf8')).complete, true);

  const { code, stdout, stderr } = await run([bin, 'report', '--json', '--out', dir], inOut);
  assert.equal(code, 0, stderr);
  assert.ok(stderr.startsWith('envd-bench: the newest result is partial: '), stderr);
  assert.match(stderr, new RegExp(`the newest complete one is "[^"]*${whole}"`));
  const result = parse(stdout);
  assert.equal(result.complete, false);
  const entries = linesOf(journal).map((line) => JSON.parse(line));
  result.lanes.forEach((lane, i) => {
    const last = entries.findLast((entry) => Array.isArray(entry) && entry[0] === i);
    assert.ok(last);
    assert.equal(lane.series.tMs.at(-1), last[1]);
    assert.equal(lane.series.pollers.at(-1), last[2]);
    assert.equal(lane.init.sent, null);
    assert.equal(lane.connections.total, null);
  });
  assert.deepEqual(
    result.checks.map(({ verdict, reason }) => [verdict, reason]),
    [['fail', 'no data']],
  );
  assert.ok(
    result.notes.some(({ text }) => /^the run was cut off [\d.]+s into an outage of 4s/.test(text)),
  );
  const table = await run([bin, 'report', journal], inOut);
  assert.match(table.stdout, /^[^\n]*\npartial: interrupted after /);

  // No other command takes it for a result by mistake.
  const others = [
    ['compare', journal, join(dir, whole)],
    ['comment', '--pr', '1', '--dry-run', journal],
    ['plan', '--check', journal],
    ['plan', '--from', journal],
    ['matrix', '--resume', journal],
  ];
  await Promise.all(
    others.map(async (args) => {
      const refused = await run([bin, ...args], inOut);
      assert.deepEqual([refused.code, refused.stdout], [2, ''], args.join(' '));
      assert.match(
        refused.stderr,
        /^[^\n]*is the journal of a run [^\n]*envd-bench report[^\n]*\n$/,
      );
    }),
  );

  // The next run says so, and leaves the data alone.
  const before = readFileSync(journal);
  const next = await run([bin, 'run', ...LOOPBACK, '--outage', '100ms', '--out', dir], inOut);
  assert.equal(next.code, 0, next.stderr);
  assert.match(
    next.stderr,
    /^an earlier run was cut off: envd-bench report [^\n]*\.partial\.jsonl/m,
  );
  assert.deepEqual(readFileSync(journal), before);
  assert.deepEqual(journals(), [journal]);
});

test('four runs at once in one folder: four results, and nothing else', {
  timeout: 120_000,
}, async () => {
  const dir = fresh();
  const command = [bin, 'run', ...LOOPBACK, '--outage', '500ms', '--json', '--out', dir];
  const all = await Promise.all(Array.from({ length: 4 }, () => run(command, { cwd: dir })));
  // 1 where the driver of a run could not follow: these runs share two cores.
  for (const { code, stderr } of all) assert.ok(code === 0 || code === 1, stderr);
  // What each printed is what its file holds.
  const saved = readdirSync(dir).map((name) => readFileSync(join(dir, name), 'utf8'));
  assert.deepEqual(saved.sort(), all.map(({ stdout }) => stdout).sort());
  assert.equal(new Set(saved.map((text) => parse(text).id)).size, 4);
});

/** Where the whole result is found after a run whose disk is full. */
const places: [string, string, (stdout: string, stderr: string) => string][] = [
  [
    'in the folder for temporary files',
    '',
    (_stdout, stderr) => readFileSync(/kept as (.*)$/m.exec(stderr)?.[1] ?? '', 'utf8'),
  ],
  [
    'on stdout when that is full too',
    '/mnt',
    (stdout) => stdout.slice(stdout.indexOf('{'), stdout.lastIndexOf('\n}\n') + 3),
  ],
];

for (const [place, tmpdir, find] of places) {
  test(`a disk that is full in mid-run: told once, and the result is ${place}`, {
    skip,
    timeout: 120_000,
  }, async () => {
    const dir = fresh();
    const temporary = join(dir, 'tmp');
    mkdirSync(temporary);
    // Three pages: enough for the journal's beginning. The second mount is for MMDS's own files.
    const inside = ['--user', '--map-root-user', '--mount', 'sh', '-c'];
    const script = 'mount -t tmpfs -o size=12k none /mnt && exec "$0" "$@"';
    const command = [bin, 'run', ...LOOPBACK, '--outage', '4s', '--out', '/mnt'];
    const { code, stdout, stderr } = await run(['unshare', ...inside, script, ...command], {
      cwd: dir,
      env: { ...process.env, TMPDIR: tmpdir || temporary },
    });
    assert.equal(code, 2, stderr);
    assert.equal(stderr.match(/no longer saving as it goes: the disk is full/g)?.length, 1, stderr);
    assert.match(stderr, /cannot save "\/mnt\/.*": the disk is full/);
    const result = parse(find(stdout, stderr));
    assert.equal(result.complete, true);
    for (const { init } of result.lanes) assert.equal(init.sent, 40);
  });
}

for (const [command, args] of [
  ['matrix', ['--fault', 'refused', '--retry', 'fixed', '--poller', 'envd', '--outage', '1s']],
  ['verify', ['--agent', 'guarded', '--only', 'version']],
] as const) {
  test(`a disk that is full under a ${command}: told once, and the document is elsewhere`, {
    skip,
    timeout: 120_000,
  }, async () => {
    const dir = fresh();
    const inside = ['--user', '--map-root-user', '--mount', 'sh', '-c'];
    // One page is left: enough for what is written to try the folder.
    const script =
      'mount -t tmpfs -o size=12k none /mnt && head -c 8192 /dev/zero > /mnt/filler && exec "$0" "$@"';
    const { code, stdout, stderr } = await run(
      ['unshare', ...inside, script, bin, command, ...args, ...LOOPBACK, '--out', '/mnt'],
      { cwd: dir, env: { ...process.env, TMPDIR: dir } },
    );
    assert.equal(code, 2, stderr);
    assert.equal(stderr.match(/no longer saving as it goes: cannot save/g)?.length, 1, stderr);
    assert.match(stdout, /refused|version/);
    const kept = /kept as (.*)$/m.exec(stderr)?.[1] ?? '';
    const { complete } = JSON.parse(readFileSync(kept, 'utf8')) as { complete: boolean };
    assert.equal(complete, true);
  });
}

test('a file system that is read-only: one line before the run, and no run', { skip }, async () => {
  const inside = ['--user', '--map-root-user', '--mount', 'sh', '-c'];
  const script = 'mount -t tmpfs -o ro none /mnt && exec "$0" "$@"';
  const command = ['unshare', ...inside, script, bin, 'run', '--out', '/mnt'];
  const { code, stdout, stderr } = await run(command, { cwd: fresh() });
  assert.deepEqual([code, stdout], [2, '']);
  assert.match(stderr, /^[^\n]*the file system is read-only[^\n]*\n$/);
});

test('kill -9 in a matrix: its cells are kept, and the one that was cut off is measured again', {
  timeout: 120_000,
}, async () => {
  const dir = fresh();
  const shape = ['--fault', 'refused,none', '--retry', 'fixed', '--poller', 'envd'];
  const running = start([bin, 'matrix', ...shape, '--outage', '1s', ...LOOPBACK, '--out', dir], {
    cwd: dir,
  });
  const saved = join(dir, 'matrix');
  await until('the second cell is under way', () => running.stderr().includes('cell 2 of 2'));
  running.child.kill('SIGKILL');
  await running.finished;
  const [name = ''] = readdirSync(saved);
  const file = join(saved, name);
  const load = () => matrixSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  const cut = load();
  assert.deepEqual([cut.complete, cut.cells.map(({ fault }) => fault)], [false, ['refused']]);
  const resumed = await run([bin, 'matrix', '--resume', file, '--out', dir], { cwd: dir });
  assert.equal(resumed.code, 0, resumed.stderr);
  const whole = load();
  assert.deepEqual(
    whole.cells.map(({ fault }) => fault),
    ['refused', 'none'],
  );
  assert.equal(whole.complete, true);
  assert.deepEqual(whole.cells[0], cut.cells[0]);
  for (const { init } of whole.cells[1]?.lanes ?? []) assert.equal(init.sent, 10);
  assert.deepEqual(readdirSync(saved), [name]);
});

test('kill -9 in verify: the verdicts so far are on disk', { timeout: 120_000 }, async () => {
  const dir = fresh();
  const only = ['--only', 'version,delivers,late-ready'];
  const running = start(
    [bin, 'verify', '--agent', 'guarded', ...only, ...LOOPBACK, '--repeat', '9'],
    {
      cwd: dir,
    },
  );
  const saved = join(dir, 'bench-results', 'verify');
  await until(
    'a first verdict',
    () => /: pass \(/.test(running.stderr()) && files(saved, '.json').length > 0,
  );
  running.child.kill('SIGKILL');
  await running.finished;
  const [name = ''] = files(saved, '.json');
  const verification = verifySchema.parse(JSON.parse(readFileSync(join(saved, name), 'utf8')));
  assert.equal(verification.complete, false);
  assert.ok(verification.scenarios.length >= 1);
  await until('nothing is left running', () => processesWith(folder).length === 0);
  rmSync(saved, { recursive: true });
});

test('report of what is neither: one line', async () => {
  const dir = fresh();
  const file = join(dir, '20250201T000000.000Z-aaaaaaaaaaaa.partial.jsonl');
  writeFileSync(file, '{"schema":"envd-bench/journal/v1","wri');
  const cut = await run([bin, 'report', file], { cwd: dir });
  assert.deepEqual([cut.code, cut.stdout], [2, '']);
  assert.match(cut.stderr, /^[^\n]*was cut off in its first line: nothing was measured[^\n]*\n$/);
});
