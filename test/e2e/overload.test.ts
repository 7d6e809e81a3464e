import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, copyFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { usableCpus } from '../../src/lane/agent-command.js';
import { whyNoNamespaces } from '../../src/lane/network/namespaces.js';
import { treeOf } from '../../src/observe/proc/process.js';
import { type LaneResult, type Result, resultSchema } from '../../src/results/schema.js';
import { run, start, until } from './cli.js';
import { install } from './install.js';

const { bin, folder, out } = install();
const noNamespaces = await whyNoNamespaces();

/** A processor that is taken: it burns for half a minute at the most. */
function burn(t: TestContext, core: string): ChildProcess {
  const program = 'const end = Date.now() + 30_000; while (Date.now() < end);';
  const child = spawn('taskset', ['-c', core, process.execPath, '-e', program], {
    stdio: 'ignore',
  });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

function only(result: Result): LaneResult {
  const [lane, ...others] = result.lanes;
  assert.ok(lane && others.length === 0);
  return lane;
}

/** The marks, the notes and the table say the same. */
async function assertTold(result: Result, isOverloaded: boolean): Promise<void> {
  const { overload, agent } = only(result);
  assert.equal(overload.length > 0, isOverloaded);
  // A lane has notes of other things too: that a part stood still, say.
  const told = result.notes.filter(
    ({ lane, text }) => lane === agent && /overloaded|samples were|processors none was/.test(text),
  );
  assert.equal(told.length, overload.length);
  const { stdout } = await run([bin, 'report', join(out, `${result.id}.json`)]);
  assert.equal(/ !( |$)/m.test(stdout), isOverloaded, stdout);
  assert.equal(stdout.includes('could not follow'), isOverloaded);
}

test('one core for the run and two that burn it: the result says that the driver was late', async (t) => {
  const core = '0';
  const burners = [burn(t, core), burn(t, core)];
  const command = ['taskset', '-c', core, bin, 'run', '--agent', 'unguarded', '--interval', '10ms'];
  const { stdout, stderr } = await run([...command, '--outage', '3s', '--json', '--out', out]);
  for (const burner of burners) burner.kill('SIGKILL');
  const result = resultSchema.parse(JSON.parse(stdout || stderr));
  const { overload, init } = only(result);
  assert.ok((init.slipMs.p99 ?? 0) > 10, `slip p99 ${init.slipMs.p99} ms`);
  assert.ok(overload.includes('driver'));
  await assertTold(result, true);
});

test('everything stops for a second in mid-run, as a machine that sleeps: it is no quiet second', async () => {
  const command = [bin, 'run', '--agent', 'guarded', '--outage', '8s', '--json', '--out', out];
  const running = start(command);
  await until('the first line of progress is there', () => /\ds of 8s/.test(running.stderr()));
  const all = treeOf(running.child.pid);
  assert.ok(all.length >= 4);
  const signal = (name: NodeJS.Signals) => {
    for (const pid of all) {
      try {
        process.kill(pid, name);
      } catch {
        // Gone already: those below see to the others.
      }
    }
  };
  signal('SIGSTOP');
  await sleep(1_000);
  signal('SIGCONT');
  const { stdout, stderr } = await running.finished;
  const result = resultSchema.parse(JSON.parse(stdout || stderr));
  const { overload, load, init, connections, series } = only(result);
  for (const one of ['driver', 'samples', 'agent', 'mmds'] as const) {
    assert.ok(overload.includes(one), `${one} is not among ${overload}`);
  }
  assert.ok((load?.sampleGapMaxMs ?? 0) >= 900);
  assert.ok((init.slipMs.max ?? 0) >= 800);
  // No second had more than one poller can make, whatever fell together after the stop.
  assert.ok((connections.perSecondPeak ?? 99) <= 50, `${connections.perSecondPeak}/s`);
  assert.ok(Math.max(...series.connectionsPerSecond.map((rate) => rate ?? 0)) <= 50);
  await assertTold(result, true);
});

test('a program that others keep from the processors: its attempts are marked', {
  skip: noNamespaces !== undefined && `no network namespaces: ${noNamespaces}`,
}, async (t) => {
  const agent = join(folder, 'agent.mjs');
  copyFileSync(resolve('test/stand-in/agent.mjs'), agent);
  chmodSync(agent, 0o755);
  const burners = usableCpus().flatMap((core) => [burn(t, `${core}`), burn(t, `${core}`)]);
  const command = [bin, 'run', '--agent', `mine="${agent}" well`, '--outage', '5s', '--json'];
  const { stdout, stderr } = await run([...command, '--out', out]);
  for (const burner of burners) burner.kill('SIGKILL');
  const result = resultSchema.parse(JSON.parse(stdout || stderr));
  const { overload, load } = only(result);
  assert.ok(overload.includes('processors'), `${overload}, ${load?.processorsBusyPeak}`);
  // By itself it took little.
  assert.ok((load?.agentCpusPeak ?? 0) < 0.95 * usableCpus().length);
  await assertTold(result, true);
});

test('a run with little to do is not accused', async () => {
  // Others may be at work on this machine: one quiet run in a few is enough.
  for (let tries = 0; tries < 5; tries++) {
    const command = [bin, 'run', '--agent', 'guarded', '--interval', '500ms', '--outage', '2s'];
    const { stdout, stderr } = await run([...command, '--json', '--out', out]);
    const result = resultSchema.parse(JSON.parse(stdout || stderr));
    if (only(result).overload.length > 0 && tries < 4) continue;
    await assertTold(result, false);
    return;
  }
});
