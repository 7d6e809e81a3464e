/**
 * The host side of netns.test.ts, run inside a fresh user and network namespace: MMDS at its own address on
 * one end of a veth pair, a guest in a second namespace on the other. Not a test itself: prints
 * what went on, and ends with 0 if all was as it must be.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { currentNetns, ORIGIN_NETNS } from '../../src/base/interlock.js';
import { parseFault } from '../../src/mmds/fault-spec.js';
import { startMmds } from '../../src/mmds/mmds.js';
import { until } from './helpers.js';
import type { GuestCounters, GuestReply, GuestTask } from './netns-guest.js';

const run = promisify(execFile);
const DEVICE = 'veth0';
const MMDS = '169.254.169.254';
let lastId = 0;

assert.notEqual(currentNetns(), process.env[ORIGIN_NETNS]);
const child = spawn(
  'unshare',
  ['--net', process.execPath, fileURLToPath(new URL('./netns-guest.js', import.meta.url))],
  { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
);
try {
  await once(child, 'message');
  await wire(child);
  await storm();
  process.stdout.write('all as it must be\n');
} finally {
  child.kill('SIGKILL');
}

async function wire(guest: ChildProcess): Promise<void> {
  const ip = (line: string) => run('ip', line.split(' '), { env: { ...process.env, LC_ALL: 'C' } });
  await ip('link set lo up');
  await ip(
    `link add ${DEVICE} address 02:00:00:00:00:01 type veth peer name eth0 netns ${guest.pid}`,
  );
  await ip(`addr add 169.254.0.22/30 dev ${DEVICE}`);
  await ip(`addr add ${MMDS}/32 dev ${DEVICE}`);
  await ip(`link set ${DEVICE} up`);
  await tell({
    do: 'ip',
    commands: [
      'link set lo up',
      'addr add 169.254.0.21/30 dev eth0',
      'link set eth0 up',
      `route add ${MMDS} dev eth0`,
      // The address is not asked for by ARP: it must vanish, not be unreachable.
      `neigh add ${MMDS} lladdr 02:00:00:00:00:01 dev eth0 nud permanent`,
    ],
  });
}

async function storm(): Promise<void> {
  const mmds = await startMmds({
    address: MMDS,
    port: 80,
    network: { kind: 'netns', device: DEVICE },
    metadata: { instanceID: 'i-1' },
    version: 'V2',
    close: 'auto',
    fault: parseFault('refused', '--fault'),
  });
  const change = (fault: string) => mmds.setFault(parseFault(fault, '--fault'));

  // refused: every attempt fails at once, and nothing is left.
  let { outcomes, spent } = await observe(20);
  assert.deepEqual(new Set(outcomes), new Set(['ECONNREFUSED']));
  assert.deepEqual([spent.activeOpens, spent.attemptFails, spent.timeWait], [20, 20, 0]);

  // reset: connected, then gone, without TIME_WAIT on either side.
  await change('reset');
  ({ outcomes, spent } = await observe(20));
  assert.ok(outcomes.every((outcome) => outcome === 'ECONNRESET' || outcome === 'EPIPE'));
  assert.deepEqual([spent.activeOpens, spent.attemptFails, spent.timeWait], [20, 0, 0]);
  assert.equal(await hostTimeWait(), 0);

  // blackhole: SYN_SENT and nothing else, until the client gives up.
  await change('blackhole');
  const begun = observe(5, 3000);
  await until('SYN_SENT', async () => (await counters()).synSent === 5);
  ({ outcomes, spent } = await begun);
  assert.deepEqual(new Set(outcomes), new Set(['timeout']));
  assert.equal((await counters()).timeWait, 0);

  // Lifted, an attempt that is under way gets in with its next SYN.
  const patient = observe(5, 20_000);
  await until('SYN_SENT', async () => (await counters()).synSent === 5);
  await change('none');
  assert.deepEqual(new Set((await patient).outcomes), new Set(['answered']));

  // blackhole to refused and back, the address absent in between.
  await change('blackhole');
  await change('refused');
  assert.deepEqual((await observe(1)).outcomes, ['ECONNREFUSED']);
  await change('blackhole');
  await change('overload');
  assert.deepEqual((await observe(2, 500)).outcomes, ['timeout', 'timeout']);

  // hang: ESTABLISHED only.
  await change('hang');
  const hung = observe(5, 1500);
  await until('ESTABLISHED', async () => (await counters()).established === 5);
  assert.equal((await counters()).synSent, 0);
  assert.deepEqual(new Set((await hung).outcomes), new Set(['timeout']));

  // overload: SYN_SENT again, though something listens.
  await change('overload');
  const waiting = observe(5, 2500);
  await until('SYN_SENT', async () => (await counters()).synSent === 5);
  assert.equal((await counters()).established, 0);
  assert.deepEqual(new Set((await waiting).outcomes), new Set(['timeout']));

  // Who closes first keeps the TIME_WAIT: the agent, but under hijack this side.
  await change('http-error');
  const [guestBefore, hostBefore] = [(await counters()).timeWait, await hostTimeWait()];
  await observe(20);
  await until('TIME_WAIT', async () => (await counters()).timeWait === guestBefore + 20);
  assert.equal(await hostTimeWait(), hostBefore);
  await change('hijack');
  assert.deepEqual((await observe(20, 10_000, true)).outcomes, Array(20).fill('ended'));
  await until('TIME_WAIT', async () => (await hostTimeWait()) === hostBefore + 20);
  assert.equal((await counters()).timeWait, guestBefore + 20);

  // The last fault takes the address away; the end gives it back.
  await change('blackhole');
  await mmds.stop();
  const { stdout } = await run('ip', ['addr', 'show', 'dev', DEVICE]);
  assert.match(stdout, /169\.254\.169\.254\/32/);
}

async function observe(
  times: number,
  timeoutMs = 10_000,
  toTheEnd = false,
): Promise<{ outcomes: readonly string[]; spent: GuestCounters }> {
  const before = await counters();
  const { outcomes = [] } = await tell({ do: 'ask', times, timeoutMs, toTheEnd });
  const after = await counters();
  const spent = {
    ...after,
    activeOpens: after.activeOpens - before.activeOpens,
    attemptFails: after.attemptFails - before.attemptFails,
    timeWait: after.timeWait - before.timeWait,
  };
  process.stdout.write(`${[...new Set(outcomes)].join()} ${JSON.stringify(spent)}\n`);
  return { outcomes, spent };
}

async function counters(): Promise<GuestCounters> {
  const reply = await tell({ do: 'counters' });
  assert.ok(reply.counters);
  return reply.counters;
}

async function hostTimeWait(): Promise<number> {
  const sockstat = await readFile('/proc/self/net/sockstat', 'utf8');
  return Number(/^TCP: .* tw (\d+)/m.exec(sockstat)?.[1]);
}

async function tell(task: GuestTask): Promise<GuestReply> {
  const id = ++lastId;
  const reply = new Promise<GuestReply>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the guest does not reply')), 30_000);
    const onMessage = (message: unknown) => {
      const one = message as GuestReply;
      if (one.id !== id) return;
      clearTimeout(timer);
      child.off('message', onMessage);
      resolve(one);
    };
    child.on('message', onMessage);
  });
  child.send({ id, ...task });
  const { error, ...rest } = await reply;
  assert.equal(error, undefined);
  return rest;
}
