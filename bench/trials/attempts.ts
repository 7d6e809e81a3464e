import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnPollers, startAgent, until } from './agent.js';
import { type Attempts, activeOpens, meter } from './meter.js';
import { trial } from './trial.js';

export type Client = 'envd-bench' | 'limit' | 'wrk' | 'ab' | 'autocannon';

export interface AttemptsInput {
  client: Client;
  /** The program that the client is, or the server's; the server is left out for refused attempts. */
  program?: string;
  server?: string;
  /** The processors of the client and of the server; neither is pinned when left out. */
  cores?: readonly [number, number];
  seconds: number;
}

/** Attempts under way at a time, for every client. */
const PLACES = 100;

/** So short that every poller is always late: a closed loop, and still the ticker of envd. */
const TICK_MS = 0.001;

/** Before the window: the JIT compiler, and whatever a client does first. */
const WARM_UP_SECONDS = 1;

const HOST = '127.0.0.1';
const PORT = 8080;
const AGENT_PORT = 49_983;

await trial(async (input: AttemptsInput): Promise<Attempts> => {
  const server = input.server ? await startServer(input, input.server) : undefined;
  const client = await startClient(input);
  await until(() => activeOpens() > 2 * PLACES, 'the client makes no attempts');
  await sleep(Math.min(WARM_UP_SECONDS, input.seconds) * 1e3);
  const attempts = await meter(client.pid ?? 0, input.seconds);
  client.kill('SIGKILL');
  if (server) await compareWithServer(server);
  return attempts;
});

function startClient(input: AttemptsInput): Promise<ChildProcess> | ChildProcess {
  const { client, program = '' } = input;
  // Each is ended by the trial, long before it would end by itself.
  const longer = String(Math.ceil(input.seconds + 60));
  const url = `http://${HOST}:${PORT}/latest/api/token`;
  const prefix = pin(input.cores?.[0]);
  const start = (...command: string[]): ChildProcess => {
    const [first, ...args] = [...prefix, ...command];
    return spawn(first ?? '', args, { stdio: 'ignore' });
  };
  switch (client) {
    case 'envd-bench':
      return startPolling(prefix);
    case 'limit':
      return start(program, HOST, String(PORT), String(PLACES), longer);
    case 'wrk':
      return start(
        ...[program, '-t', '1', '-c', String(PLACES), '-d', `${longer}s`],
        ...['-H', 'Connection: close', url],
      );
    case 'ab':
      return start(program, '-q', '-r', '-c', String(PLACES), '-t', longer, '-n', '50000000', url);
    case 'autocannon':
      return start(
        ...[process.execPath, createRequire(import.meta.url).resolve('autocannon/autocannon.js')],
        ...['-c', String(PLACES), '-d', longer, '--reconnectRate', '1'],
        ...['-H', 'Connection=close', url],
      );
  }
}

async function startPolling(prefix: readonly string[]): Promise<ChildProcess> {
  const agent = await startAgent({
    poller: 'issue',
    mmdsPort: PORT,
    port: AGENT_PORT,
    tickMs: TICK_MS,
    prefix,
  });
  await spawnPollers(agent, AGENT_PORT, PLACES);
  return agent.child;
}

interface Server {
  child: ChildProcess;
  lines: string[];
}

async function startServer(input: AttemptsInput, path: string): Promise<Server> {
  // ab waits for the end of the connection whatever the answer's length says.
  const first = input.client === 'ab' ? ['first'] : [];
  const [program, ...args] = [...pin(input.cores?.[1]), path, HOST, String(PORT), ...first];
  const child = spawn(program ?? '', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  await until(() => lines.length === 1, 'the server does not start');
  return { child, lines };
}

/**
 * One answer a connection, or the client is not doing what it is compared for. Those under way at the
 * end, and the connections on which the pollers were started, are all that may differ.
 */
async function compareWithServer({ child, lines }: Server): Promise<void> {
  const opens = activeOpens();
  child.kill('SIGTERM');
  await until(() => lines.length === 2, 'the server does not end');
  const answered = Number(lines[1]);
  if (Math.abs(opens - answered) > 2 * PLACES) {
    throw new Error(`${answered} answers on ${opens} connections`);
  }
}

function pin(core: number | undefined): string[] {
  return core === undefined ? [] : ['taskset', '--cpu-list', String(core)];
}
