import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { monotonicMs } from '../../src/base/clock.js';
import { AgentPart } from '../../src/lane/parts/agent-part.js';
import { Sampler } from '../../src/lane/sampler.js';
import { netnsReader } from '../../src/observe/netns-reader.js';
import { parseSockStat, readProc } from '../../src/observe/proc/counters.js';
import { type ArenaAgent, startAgent } from './agent.js';
import { trial } from './trial.js';

export interface WatchingInput {
  /** Sockets in TIME_WAIT, all of them real connections that were closed. */
  sockets: number;
  seconds: number;
  /** Where ss is, to compare with; null leaves it out. */
  ss: string | null;
}

export interface Watching {
  /** Sockets in TIME_WAIT when the sampler began and when it ended. */
  socketsBefore: number;
  socketsAfter: number;
  samples: number;
  /** Share of one processor that this process took while its sampler ran, user and system. */
  share: number;
  /** The same for ten `ss -tan` a second; null where there is none. */
  ssShare: number | null;
}

const HOST = '127.0.0.1';
const MMDS_PORT = 8080;
const AGENT_PORT = 49_983;

/** Connections that are made at a time. */
const PLACES = 100;

/** Before the window: the compiler, and the first walk of the table. */
const WARM_UP_MS = 2_000;

/** Readings a second of the sampler, and so of ss. */
const PER_SECOND = 10;
const SS_RUNS = 10;

/** Room for all of them: no guest, but the worst that a run can have to look at. */
const TIME_WAIT_LIMIT = 131_072;

await trial(async (input: WatchingInput): Promise<Watching> => {
  await fill(input.sockets);
  const agent = await startAgent({
    poller: 'issue',
    mmdsPort: MMDS_PORT,
    port: AGENT_PORT,
    tickMs: 50,
  });
  const socketsBefore = timeWait();
  const { samples, share } = await watch(agent, input.seconds);
  const socketsAfter = timeWait();
  const ssShare = input.ss === null ? null : await shareOfSs(input.ss);
  return { socketsBefore, socketsAfter, samples, share, ssShare };
}, TIME_WAIT_LIMIT);

/** Makes and closes connections, this side first, until as many are in TIME_WAIT. */
async function fill(sockets: number): Promise<void> {
  const server = createServer((socket) => socket.on('error', () => {}).resume());
  server.listen(MMDS_PORT, HOST);
  await once(server, 'listening');
  let left = sockets;
  await Promise.all(
    Array.from({ length: PLACES }, async () => {
      while (left-- > 0) {
        const socket = connect(MMDS_PORT, HOST);
        await once(socket, 'connect');
        // Until the server has closed too: what still waits in its backlog is in no TIME_WAIT.
        socket.resume().end();
        await once(socket, 'close');
      }
    }),
  );
  server.close();
  await once(server, 'close');
  if (timeWait() < 0.99 * sockets) throw new Error(`${timeWait()} of ${sockets} sockets are left`);
}

function timeWait(): number {
  const sockets = parseSockStat(readProc('/proc/self/net/sockstat') ?? '');
  if (!sockets) throw new Error('no sockets in /proc/net/sockstat');
  return sockets.timeWait;
}

/** Runs the sampler of a lane, and nothing else, in this process. */
async function watch(
  agent: ArenaAgent,
  seconds: number,
): Promise<Pick<Watching, 'samples' | 'share'>> {
  let samples = 0;
  const part = new AgentPart(
    { kind: 'reference', name: 'unguarded', guard: 'unguarded' },
    asProcess(agent),
    () => {},
  );
  const sampler = new Sampler(
    { faults: [], auth: 'stored', agent: { kind: 'reference' }, guest: { cpus: null } },
    part,
    { takeLatency: () => ({ initLatencyMs: null, healthLatencyMs: null }) },
    monotonicMs(),
    () => samples++,
  );
  sampler.start();
  await sleep(WARM_UP_MS);
  const [before, beganMs, samplesBefore] = [process.cpuUsage(), monotonicMs(), samples];
  await sleep(seconds * 1e3);
  const { user, system } = process.cpuUsage(before);
  const share = (user + system) / 1e3 / (monotonicMs() - beganMs);
  sampler.stop();
  return { samples: samples - samplesBefore, share };
}

/** The agent in this very namespace, as a lane would hold it. */
function asProcess({ child, pid }: ArenaAgent): ConstructorParameters<typeof AgentPart>[1] {
  const ports = 65_535 - 1_024 + 1;
  const nothing = (): void => {};
  const [stdout, stderr] = [child.stdout, child.stderr];
  if (!stdout || !stderr) throw new Error('the agent has no pipes');
  return {
    ...{ pid: () => pid, stdout, stderr, exited: new Promise(() => {}) },
    limits: { ports, timeWait: TIME_WAIT_LIMIT },
    reader: netnsReader(process.pid, { host: HOST, port: MMDS_PORT }, ports),
    ...{ terminate: nothing, quit: nothing, pause: nothing, resume: nothing },
    ...{ pathOf: () => undefined, rootFile: () => undefined, destroy: async () => {} },
  };
}

async function shareOfSs(ss: string): Promise<number> {
  const run = promisify(execFile);
  const before = cpuSecondsOfChildren();
  for (let i = 0; i < SS_RUNS; i++) await run(ss, ['-Htan'], { maxBuffer: 1 << 26 });
  return ((cpuSecondsOfChildren() - before) / SS_RUNS) * PER_SECOND;
}

/** Processor time of the children that have ended: fields 16 and 17 of proc_pid_stat(5). */
function cpuSecondsOfChildren(): number {
  const text = readProc('/proc/self/stat') ?? '';
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const USER_HZ = 100;
  return (Number(fields[13]) + Number(fields[14])) / USER_HZ;
}
