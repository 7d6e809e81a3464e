import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fsPromises, { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { UsageError } from '../../src/base/errors.js';
import { RESULT_SCHEMA } from '../../src/results/schema.js';
import {
  LARGEST_FILE,
  loadResult,
  newId,
  prepareOut,
  replaceDocument,
  rescueResult,
  savedRuns,
  saveResult,
  UnsavedError,
} from '../../src/results/store.js';
import { hostile, partial, storm, unmeasured } from '../fixtures/results.js';

let root = '';
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'envd-bench-test-'));
});
after(() => rm(root, { recursive: true, force: true }));

const fresh = () => mkdtemp(join(root, 'out-'));

/** A usage error of one line that matches. */
const oneLine = (pattern: RegExp) => (thrown: unknown) => {
  assert.ok(thrown instanceof UsageError, String(thrown));
  assert.doesNotMatch(thrown.message, /[\p{Cc}]/u);
  assert.match(thrown.message, pattern);
  return true;
};

test('a saved result reads back as it was, and nothing else is left in the folder', async () => {
  for (const result of [storm(), partial(), unmeasured(), hostile()]) {
    const dir = await fresh();
    const file = await saveResult(dir, result);
    assert.equal(file, join(dir, `${result.id}.json`));
    assert.deepEqual(await loadResult(file), result);
    assert.deepEqual(await readdir(dir), [`${result.id}.json`]);
  }
});

test('prepareOut makes nested folders and leaves them empty', async () => {
  const dir = join(await fresh(), 'a/b/c');
  assert.equal(await prepareOut(dir), dir);
  assert.equal(await prepareOut(dir), dir);
  assert.deepEqual(await readdir(dir), []);
});

test('prepareOut refuses a folder that cannot be', async () => {
  const dir = await fresh();
  await writeFile(join(dir, 'file'), '');
  const mend = /--out/;
  await assert.rejects(prepareOut('/proc/x'), oneLine(/"\/proc\/x".*--out/));
  await assert.rejects(prepareOut('/proc'), oneLine(mend));
  await assert.rejects(prepareOut(join(dir, 'file')), oneLine(/a file of that name/));
  await assert.rejects(prepareOut(join(dir, 'file/below')), oneLine(/not a folder/));
  await assert.rejects(prepareOut(''), oneLine(/--out is empty/));
  await assert.rejects(prepareOut('a\0b'), oneLine(mend));
  await assert.rejects(prepareOut('x'.repeat(300)), oneLine(/too long/));
});

test('ids sort by time, are valid, and never collide', () => {
  const times = [0, 1, 999, 1000, 60e3, 1e12, 1.7e12];
  const ids = times.map((time) => newId(new Date(time)));
  assert.deepEqual(ids.toSorted(), ids);
  for (const id of ids) assert.match(id, /^[\w.-]{1,128}$/);
  const now = new Date();
  assert.equal(new Set(Array.from({ length: 10_000 }, () => newId(now))).size, 10_000);
});

test('no result ever overwrites another', async () => {
  const dir = await fresh();
  const file = await saveResult(dir, storm());
  const first = await readFile(file, 'utf8');
  await assert.rejects(saveResult(dir, { ...storm(), complete: false }), UnsavedError);
  assert.equal(await readFile(file, 'utf8'), first);
  assert.deepEqual(await readdir(dir), [`${storm().id}.json`]);
});

test('of many that save under one name at once, exactly one does', async () => {
  const dir = await fresh();
  const all = await Promise.allSettled(Array.from({ length: 8 }, () => saveResult(dir, storm())));
  assert.equal(all.filter(({ status }) => status === 'fulfilled').length, 1);
  assert.deepEqual(await readdir(dir), [`${storm().id}.json`]);
});

test('a file system without hard links: saved all the same, and never over another', async (t) => {
  const link = t.mock.method(fsPromises, 'link', async () => {
    throw Object.assign(new Error('EPERM'), { code: 'EPERM' });
  });
  syncBuiltinESMExports();
  t.after(() => {
    link.mock.restore();
    syncBuiltinESMExports();
  });
  const dir = await fresh();
  const file = await saveResult(dir, storm());
  assert.deepEqual(await loadResult(file), storm());
  await assert.rejects(saveResult(dir, partial()), UnsavedError);
  assert.equal(link.mock.callCount(), 2);
  assert.deepEqual(await loadResult(file), storm());
  assert.deepEqual(await readdir(dir), [`${storm().id}.json`]);
});

test('a document that is written again and again is whole whenever it is read', async () => {
  const path = join(await fresh(), 'growing.json');
  const document = (step: number) => ({ step, filler: 'x'.repeat(2e6) });
  await replaceDocument(path, document(0));
  let last = 0;
  let isOver = false;
  const writing = (async () => {
    while (last < 40) await replaceDocument(path, document(++last));
  })().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const { step, filler } = JSON.parse(await readFile(path, 'utf8')) as ReturnType<
      typeof document
    >;
    assert.ok(step <= last && filler.length === 2e6);
  }
  await writing;
  assert.deepEqual(await readdir(dirname(path)), ['growing.json']);
});

test('a folder that is gone: the error carries the result, which can be rescued', async (t) => {
  const result = storm();
  const unsaved = await saveResult(join(root, 'gone'), result).then(
    () => assert.fail('was saved'),
    (thrown: unknown) => thrown,
  );
  assert.ok(unsaved instanceof UnsavedError);
  assert.match(unsaved.message, /no such folder/);
  assert.deepEqual(JSON.parse(unsaved.json), result);
  const file = await rescueResult(unsaved);
  t.after(() => rm(dirname(file), { recursive: true }));
  assert.ok(file.startsWith(tmpdir()));
  assert.deepEqual(await loadResult(file), result);
});

test('a full disk: the error carries the result, and no half file is left', async (t) => {
  // A tmpfs of one page in a user namespace of its own; the store runs inside it.
  const script = `
    import { readdirSync, writeFileSync } from 'node:fs';
    const { saveResult, prepareOut } = await import(${JSON.stringify(new URL('../../src/results/store.js', import.meta.url).href)});
    const { storm } = await import(${JSON.stringify(new URL('../fixtures/results.js', import.meta.url).href)});
    const failure = await saveResult('/mnt', storm()).catch((error) => error);
    const afterSave = readdirSync('/mnt');
    try { writeFileSync('/mnt/filler', 'x'.repeat(1e6)); } catch {}
    const probe = await prepareOut('/mnt').catch((error) => error);
    console.log(JSON.stringify({
      name: failure.name, message: failure.message, id: JSON.parse(failure.json).id, afterSave,
      probe: probe.message, files: readdirSync('/mnt'),
    }));`;
  let out: string;
  try {
    out = execFileSync(
      'unshare',
      [
        ...['--user', '--map-root-user', '--mount', 'sh', '-c'],
        'mount -t tmpfs -o size=4k none /mnt || exit 77; exec "$0" --input-type=module -e "$1"',
        process.execPath,
        script,
      ],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], timeout: 30_000 },
    );
  } catch (thrown) {
    const { status, code, stderr } = thrown as { status?: number; code?: string; stderr?: string };
    if (code === 'ENOENT' || status === 77 || /unshare:/.test(stderr ?? '')) {
      t.skip(`no user namespace here: ${(stderr ?? code ?? '').trim()}`);
      return;
    }
    throw thrown;
  }
  const seen = JSON.parse(out);
  assert.equal(seen.name, 'UnsavedError');
  assert.match(seen.message, /the disk is full/);
  assert.equal(seen.id, storm().id);
  assert.deepEqual(seen.afterSave, []);
  assert.match(seen.probe, /the disk is full/);
  assert.deepEqual(seen.files, ['filler']);
});

test('loadResult: every bad file is told in one line', async () => {
  const dir = await fresh();
  const good = JSON.stringify(storm());
  const invalid = storm();
  const cases: [comment: string, content: string, pattern: RegExp][] = [
    ['nothing in it', ' \n', /is empty/],
    ['no JSON', 'hello', /is not JSON/],
    ['JSON with a mistake', '{"schema": nonsense}', /is not JSON/],
    ['cut off', good.slice(0, 1000), /is cut off after 1000 characters/],
    ['another document', '[1]', /names no schema/],
    ['null', 'null', /names no schema/],
    ['a later version', '{"schema":"envd-bench/result/v2"}', /"envd-bench\/result\/v2".*version/],
    ['another kind', '{"schema":"envd-bench/verify/v1"}', /"envd-bench\/verify\/v1"; this/],
    ['a hostile schema', '{"schema":"\\u001b[31m\\n"}', /has the schema/],
    ['no fields', `{"schema":"${RESULT_SCHEMA}"}`, /: id: .*more/],
    [
      'a bad field',
      JSON.stringify({ ...invalid, lanes: [{ ...invalid.lanes[0], pollers: { peak: 'x' } }] }),
      /lanes\[0\]\.pollers\.peak: /,
    ],
    ['arrays that disagree', good.replace('"tMs":[100,', '"tMs":['), /lanes\[0\]\.series: /],
  ];
  for (const [comment, content, pattern] of cases) {
    const file = join(dir, `${comment}.json`);
    await writeFile(file, content);
    await assert.rejects(loadResult(file), oneLine(pattern), comment);
  }
  await assert.rejects(loadResult(join(dir, 'none.json')), oneLine(/there is no such file/));
  await assert.rejects(loadResult(dir), oneLine(/is a folder/));
  await assert.rejects(loadResult('a\0b'), oneLine(/cannot read/));
});

test('loadResult does not read more than it may', async () => {
  const file = join(await fresh(), 'huge.json');
  await writeFile(file, '{');
  await truncate(file, LARGEST_FILE + 1);
  await assert.rejects(loadResult(file), oneLine(/larger than 64 MiB/));
  await assert.rejects(loadResult('/dev/zero'), oneLine(/larger than 64 MiB/));
});

test('a result that is cut off anywhere is called cut off', async () => {
  const text = JSON.stringify(storm());
  const file = join(await fresh(), 'cut.json');
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: text.length - 1 }), async (length) => {
      await writeFile(file, text.slice(0, length));
      await assert.rejects(loadResult(file), oneLine(/is cut off after/));
    }),
    { numRuns: 60 },
  );
});

test('savedRuns goes by the name, whatever else lies there', async () => {
  const dir = await fresh();
  await assert.rejects(savedRuns(dir), oneLine(/no result in .*envd-bench run/));
  await assert.rejects(savedRuns(join(dir, 'gone')), oneLine(/no such folder/));
  const newer = { ...storm(), id: newId(new Date('2025-03-01T00:00:00Z')) };
  const older = { ...storm(), id: newId(new Date('2025-02-28T23:59:59.999Z')) };
  const path = await saveResult(dir, newer);
  await saveResult(dir, older);
  for (const name of ['reference-2cpu.json', '.99999999T.tmp', 'README.md', 'zzz.json']) {
    await writeFile(join(dir, name), '');
  }
  // A journal whose result is there is no run of its own; one without is.
  await writeFile(join(dir, `${newer.id}.partial.jsonl`), '');
  const cut = newId(new Date('2025-03-02T00:00:00Z'));
  await writeFile(join(dir, `${cut}.partial.jsonl`), '');
  assert.deepEqual(await savedRuns(dir), [
    { id: cut, path: join(dir, `${cut}.partial.jsonl`), kind: 'journal' },
    { id: newer.id, path, kind: 'result' },
    { id: older.id, path: join(dir, `${older.id}.json`), kind: 'result' },
  ]);
});
