import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import {
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { thisProcess } from '../../src/base/process-identity.js';
import { loadRun } from '../../src/experiment/recover.js';
import { isJournal, journalName } from '../../src/results/journal/format.js';
import { tidyJournals } from '../../src/results/journal/leftovers.js';
import { isAlive, readJournal } from '../../src/results/journal/reader.js';
import { JournalWriter } from '../../src/results/journal/writer.js';
import { latencyOfAllSent } from '../../src/results/latency.js';
import { resultSchema } from '../../src/results/schema.js';
import { saveResult } from '../../src/results/store.js';
import type { Sample } from '../../src/results/thin.js';
import { nothing, storm } from '../fixtures/results.js';

let root = '';
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'envd-bench-test-'));
});
after(() => rm(root, { recursive: true, force: true }));

const fresh = () => mkdtemp(join(root, 'out-'));

/** The result of `storm` before anything was measured. */
function empty() {
  const lanes = ['unguarded', 'guarded'].map((name) => ({ ...nothing(name), trouble: null }));
  return { ...storm(), complete: false, lanes, claims: [], checks: [], notes: [] };
}

function sample(i: number): Sample {
  return {
    tMs: i * 100.25,
    pollers: i,
    connectionsPerSecond: i * 40,
    portsInUse: null,
    timeWait: i % 3,
    initLatencyMs: i % 2 === 0 ? 1.5 * i : null,
    healthLatencyMs: null,
  };
}

/** The text of a journal whose writer has ended. */
async function orphaned(file: string): Promise<string> {
  const { pid = 0 } = spawnSync('true');
  const [header = '', ...rest] = (await readFile(file, 'utf8')).split('\n');
  const dead = { ...JSON.parse(header), writer: { ...thisProcess(), pid } };
  return [JSON.stringify(dead), ...rest].join('\n');
}

/** A journal as a run leaves it that was killed: `count` samples a lane, the first lane at its end. */
async function journal(dir: string, count: number, withEnd = false): Promise<string> {
  const writer = new JournalWriter(dir, (line) => assert.fail(line));
  writer.begin(empty());
  for (let i = 0; i < count; i++) {
    writer.sample('unguarded', sample(i));
    writer.sample('guarded', { ...sample(i), pollers: 1 });
  }
  if (withEnd) writer.laneEnd(storm().lanes[0] ?? assert.fail(), true);
  await writer.close();
  return join(dir, journalName(storm().id));
}

test('what is known of samples alone is there, and all else is null', async () => {
  const file = await journal(await fresh(), 235);
  const { result } = await loadRun(file);
  assert.deepEqual(resultSchema.parse(result), result);
  assert.equal(result.complete, false);
  const [lane] = result.lanes;
  assert.ok(lane);
  assert.equal(lane.series.tMs.at(-1), 234 * 100.25);
  assert.equal(lane.series.tMs.length, 235);
  assert.equal(lane.pollers.peak, 234);
  assert.equal(lane.connections.perSecondPeak, 234 * 40);
  assert.equal(lane.kernel.timeWaitPeak, 2);
  assert.equal(lane.init.latencyMs.max, 1.5 * 234);
  const unknown = {
    total: lane.connections.total,
    ports: lane.ports.peak,
    ...lane.init.statuses,
    sent: lane.init.sent,
    answered: lane.init.answered,
    timedOut: lane.init.timedOut,
    failed: lane.init.failed,
    p99: lane.init.latencyMs.p99,
    health: lane.health.sent,
    healthMax: lane.health.latencyMs.max,
    spawned: lane.pollers.spawned,
    atEnd: lane.pollers.atEnd,
    cpu: lane.process.cpuSeconds,
    count: lane.agentCount,
  };
  assert.deepEqual([...new Set(Object.values(unknown))], [null]);
  // Whether any request went unanswered is not known, so that no latency of all of them is.
  assert.equal(latencyOfAllSent(lane.init, 'max'), null);
});

test('a lane that came to its end is as in its own result, and the note says which was cut off', async () => {
  const { result } = await loadRun(await journal(await fresh(), 50, true));
  const [first, second] = result.lanes;
  const { series: _of, ...whole } = storm().lanes[0] ?? assert.fail();
  const { series, ...rest } = first ?? assert.fail();
  assert.deepEqual(rest, whole);
  assert.equal(series.tMs.length, 50);
  assert.equal(second?.init.sent, null);
  assert.equal(result.complete, false);
  const notes = result.notes.map(({ text }) => text).join('\n');
  assert.match(notes, /4\.9s into an outage of 1m/);
  assert.match(notes, /in: guarded/);
});

test('cut off anywhere, with garbage behind it: what is whole counts, and nothing else', async () => {
  const dir = await fresh();
  const text = Buffer.from(await orphaned(await journal(dir, 20, true)));
  const file = join(dir, 'cut.jsonl');
  const headerEnd = text.indexOf(10) + 1;
  const garbage = fc.oneof(
    fc.uint8Array({ maxLength: 64 }),
    fc.constant(new Uint8Array(4096)),
    fc
      .constantFrom('\n[0]\n', '[9,1,2,3,4,5,6,7]\n', '{"end":7}\n', '\n\n')
      .map((s) => Buffer.from(s)),
  );
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: text.length }), garbage, async (length, tail) => {
      await writeFile(file, Buffer.concat([text.subarray(0, length), Buffer.from('#'), tail]));
      if (length < headerEnd) {
        await assert.rejects(readJournal(file), /cut off in its first line/);
        return;
      }
      const lines = text.subarray(0, length).toString().split('\n').slice(1, -1);
      const { result } = await loadRun(file);
      assert.deepEqual(resultSchema.parse(result), result);
      assert.equal(result.complete, false);
      result.lanes.forEach((lane, i) => {
        const whole = lines.filter((line) => line.startsWith(`[${i},`)).length;
        assert.equal(lane.series.tMs.length, whole);
      });
      const read = text.lastIndexOf(10, length - 1) + 1;
      const left = length - read + 1 + tail.length;
      assert.ok(
        result.notes.some(({ text }) => text.startsWith(`${left} bytes at the end of the journal`)),
      );
    }),
    { numRuns: 150 },
  );
});

test('a line in the middle that is not whole ends what is read: the samples behind it may be old blocks', async () => {
  const dir = await fresh();
  const file = await journal(dir, 10);
  const lines = (await readFile(file, 'utf8')).split('\n');
  lines[5] = `${lines[5]?.slice(0, 9)}\0\0\0`;
  await writeFile(file, lines.join('\n'));
  const { result } = await loadRun(file);
  assert.deepEqual(
    result.lanes.map(({ series }) => series.tMs.length),
    [2, 2],
  );
});

test('a gap before the end is told of, and its lane is marked', async () => {
  const dir = await fresh();
  const file = await journal(dir, 40);
  const lines = (await orphaned(file)).split('\n');
  // Two seconds of the first lane are missing.
  const at = (line: string) => Number(/^\[0,([\d.]+)/.exec(line)?.[1] ?? 0);
  const kept = lines.filter((line) => at(line) < 1_000 || at(line) > 3_000);
  await writeFile(file, kept.join('\n'));
  const { result } = await loadRun(file);
  assert.deepEqual(resultSchema.parse(result), result);
  assert.deepEqual(
    result.lanes.map(({ overload }) => overload),
    [['samples'], []],
  );
  const told = result.notes.filter(({ lane }) => lane === 'unguarded').map(({ text }) => text);
  assert.equal(told.length, 2);
  assert.match(told[0] ?? '', /^no sample between 0\.9 s and 3\.0 s of the outage/);
  assert.match(told[1] ?? '', /^samples were up to 2\d\d\d ms apart/);
});

test('a sample that no result could hold ends what is read, and holds nobody up', async () => {
  const dir = await fresh();
  const file = await journal(dir, 10);
  const text = await orphaned(file);
  for (const odd of [
    '[0,1e308,1,1,1,1,1,1]',
    '[0,9007199254740993,1,1,1,1,1,1]',
    '[0,99999,1,1,0.5,1,1,1]',
  ]) {
    await writeFile(file, `${text}${odd}\n`);
    const { result } = await loadRun(file);
    assert.deepEqual(resultSchema.parse(result), result);
    assert.equal(result.lanes[0]?.series.tMs.length, 10);
  }
});

test('a line about a lane that there is not ends what is read', async () => {
  const dir = await fresh();
  const file = await journal(dir, 10);
  const text = await orphaned(file);
  const [, first = ''] = text.split('\n');
  const late = first.replace(/^\[0,[\d.]+/, '[0,99999');
  for (const foreign of [first.replace(/^\[0/, '[9'), '{"end":0,"isWhole":true,"lane":{}}']) {
    await writeFile(file, `${text}${foreign}\n${late}\n`);
    const { result } = await loadRun(file);
    assert.deepEqual(
      result.lanes.map(({ series }) => series.tMs.length),
      [10, 10],
    );
    const left = foreign.length + late.length + 2;
    assert.ok(result.notes.some(({ text }) => text.startsWith(`${left} bytes at the end`)));
  }
});

test('the journal of a run that lives is not taken for a dead one, whoever asks; a zombie is dead', async () => {
  const dir = await fresh();
  const file = await journal(dir, 3);
  const withWriter = async (writer: object): Promise<string> => {
    const [header = '', ...rest] = (await readFile(file, 'utf8')).split('\n');
    const changed = join(dir, 'changed.jsonl');
    await writeFile(
      changed,
      [JSON.stringify({ ...JSON.parse(header), writer }), ...rest].join('\n'),
    );
    return changed;
  };
  const ours = thisProcess();
  const { pid = 0 } = spawnSync('true');
  assert.equal(await isAlive(file), true);
  assert.equal((await loadRun(file)).state, 'still going');
  assert.equal(await isAlive(await withWriter({ ...ours, pid })), false);
  // The same number, given to another process since.
  assert.equal(
    await isAlive(await withWriter({ ...ours, startTicks: ours.startTicks + 1 })),
    false,
  );
  // From another container or machine only the file's time tells.
  const elsewhere = await withWriter({ ...ours, pidNamespace: 'pid:[1]' });
  assert.equal(await isAlive(elsewhere), true);
  await utimes(elsewhere, new Date(Date.now() - 60_000), new Date(Date.now() - 60_000));
  assert.equal(await isAlive(elsewhere), false);

  // A parent that never looks at its child's end: the shell becomes `sleep 30`, and then the child is killed.
  const shell = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 30'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const zombie = Number(
    await new Promise<string>((resolve) => shell.stdout.once('data', (b) => resolve(String(b)))),
  );
  const comm = `/proc/${shell.pid}/comm`;
  while ((await readFile(comm, 'utf8')) !== 'sleep\n')
    await new Promise((wake) => setTimeout(wake, 10));
  process.kill(zombie, 'SIGKILL');
  let state = '';
  let startTicks = 0;
  for (let i = 0; i < 600 && state !== 'Z'; i++) {
    const stat = await readFile(`/proc/${zombie}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    state = fields[0] ?? '';
    startTicks = Number(fields[19]);
    await new Promise((wake) => setTimeout(wake, 10));
  }
  assert.equal(state, 'Z');
  const ended = await isAlive(await withWriter({ ...ours, pid: zombie, startTicks }));
  shell.kill();
  assert.equal(ended, false);
});

test('a folder that is removed in the middle: told once, and the run goes on', async () => {
  const dir = await fresh();
  const said: string[] = [];
  const writer = new JournalWriter(dir, (line) => said.push(line));
  writer.begin(empty());
  writer.sample('guarded', sample(1));
  await writer.flush();
  assert.deepEqual(said, []);
  await rm(dir, { recursive: true });
  for (let i = 2; i < 5; i++) {
    writer.sample('guarded', sample(i));
    await writer.flush();
  }
  await writer.remove();
  assert.equal(said.length, 1);
  assert.match(said[0] ?? '', /^no longer saving as it goes: its file was removed/);
});

test('a folder that was never there: told once', async () => {
  const said: string[] = [];
  const writer = new JournalWriter(join(await fresh(), 'gone'), (line) => said.push(line));
  writer.begin(empty());
  await writer.flush();
  writer.sample('guarded', sample(1));
  await writer.close();
  assert.equal(said.length, 1);
  assert.match(said[0] ?? '', /no such folder/);
});

test('every error of a disk in mid-run is told once, and nothing is thrown', async (t) => {
  for (const code of ['ENOSPC', 'EDQUOT', 'EIO', 'EROFS']) {
    const said: string[] = [];
    const writer = new JournalWriter(await fresh(), (line) => said.push(line));
    writer.begin(empty());
    await writer.flush();
    const { handle } = writer as unknown as { handle: import('node:fs/promises').FileHandle };
    t.mock.method(handle, 'datasync', async () => {
      throw Object.assign(new Error(code), { code });
    });
    for (let i = 0; i < 3; i++) {
      writer.sample('guarded', sample(i));
      await writer.flush();
    }
    await writer.close();
    assert.equal(said.length, 1, code);
    assert.doesNotMatch(said[0] ?? '', new RegExp(code), 'in plain words');
  }
});

test('a journal with nothing to say keeps its time: elsewhere nothing else tells that its run lives', async () => {
  const dir = await fresh();
  const writer = new JournalWriter(dir, (line) => assert.fail(line));
  writer.begin(empty());
  await writer.flush();
  const file = join(dir, journalName(storm().id));
  const old = new Date(Date.now() - 3_600_000);
  await utimes(file, old, old);
  await writer.flush();
  assert.ok(Date.now() - (await stat(file)).mtimeMs < 60_000);
  await writer.remove();
});

test('a disk that does not answer: what waits for it is bounded, and it is told once', async () => {
  const said: string[] = [];
  const writer = new JournalWriter(await fresh(), (line) => said.push(line));
  writer.begin(empty());
  await writer.flush();
  // From here on nothing is written.
  const stuck = writer as unknown as {
    writing: Promise<void> | undefined;
    waitingLength: number;
  };
  stuck.writing = new Promise(() => {});
  let most = 0;
  for (let i = 0; i < 400_000; i++) {
    writer.sample('guarded', sample(i));
    most = Math.max(most, stuck.waitingLength);
  }
  assert.equal(said.length, 1);
  assert.match(said[0] ?? '', /does not take it in time/);
  assert.ok(most < 17 * 2 ** 20, `${most} characters waited`);
  stuck.writing = undefined;
  await writer.remove();
});

test('a line that never ends is read up to a bound', { timeout: 15_000 }, async () => {
  const dir = await fresh();
  const file = await journal(dir, 3);
  const before = (await loadRun(file)).result;
  // Sparse: it takes no disk, but to put it together piece by piece would take long.
  await truncate(file, 2 ** 28);
  const { result } = await loadRun(file);
  assert.deepEqual(result.lanes, before.lanes);
});

test('leftovers: data stays and is named, what is saved elsewhere goes, the living are left alone', async () => {
  const dir = await fresh();
  assert.equal(await tidyJournals(dir), undefined);
  const alive = await journal(dir, 3);
  assert.equal(await tidyJournals(dir), undefined);
  const text = await orphaned(alive);
  const [cut, saved] = ['20250201T000000.000Z-aaaaaaaaaaaa', '20250202T000000.000Z-bbbbbbbbbbbb'];
  await writeFile(join(dir, journalName(cut)), text);
  await writeFile(join(dir, journalName(saved)), text);
  const halved = '20250131T000000.000Z-dddddddddddd';
  await writeFile(join(dir, journalName(halved)), text);
  // As a shell leaves it whose command failed: no result, so the journal stays.
  await writeFile(join(dir, `${halved}.json`), '');
  for (const id of [cut, saved]) await writeFile(join(dir, `.${id}-cccccccccccc.tmp`), '{');
  await saveResult(dir, { ...storm(), id: saved });
  assert.match((await tidyJournals(dir)) ?? '', new RegExp(`2 earlier runs were cut off.*${cut}`));
  assert.deepEqual(
    (await readdir(dir)).sort(),
    [
      ...[storm().id, cut, halved].map(journalName),
      ...[saved, halved].map((id) => `${id}.json`),
    ].sort(),
  );
});

test('isJournal reads regular files only, and is false for what cannot be read', async () => {
  const dir = await fresh();
  const file = await journal(dir, 1);
  assert.equal(await isJournal(file), true);
  await mkdir(join(dir, 'folder'));
  await appendFile(join(dir, 'short'), '{');
  for (const other of ['folder', 'short', 'none']) {
    assert.equal(await isJournal(join(dir, other)), false, other);
  }
  assert.equal(await isJournal(await saveResult(dir, storm())), false);
});
