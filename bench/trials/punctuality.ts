import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../../src/base/clock.js';
import { DriverPart } from '../../src/lane/parts/driver-part.js';
import { useOfTree } from '../../src/observe/proc/process.js';
import { type ArenaAgent, spawnPollers, startAgent } from './agent.js';
import { trial } from './trial.js';

export type Pacer = 'envd-bench' | 'autocannon' | 'vegeta';

export interface PunctualityInput {
  pacer: Pacer;
  /** Where vegeta is. */
  program?: string;
  seconds: number;
  /** Agents that storm beside it, one for each processor. */
  storms: number;
}

export interface Punctuality {
  /** When each `/init` arrived at the server, ms of one clock. */
  arrivalsMs: number[];
  /** What the driver says of itself, ms; null for the others. */
  ownSlipMs: { p99: number; max: number } | null;
  /** Processors that the storm took meanwhile. */
  stormCores: number;
}

/** Ten `/init` a second, the interval. */
const INTERVAL_MS = 100;

/** Nothing listens there. */
const MMDS_PORT = 8080;
const AGENT_PORT = 49_983;
const POLLERS = 100;
const TICK_MS = 0.001;

/** The storm's compilers are done, and every poller is under way. */
const STORM_SETTLES_MS = 1_000;

await trial(async (input: PunctualityInput): Promise<Punctuality> => {
  const arrivalsMs: number[] = [];
  const server = await startServer(() => arrivalsMs.push(monotonicMs()));
  const port = (server.address() as AddressInfo).port;
  const storms = await Promise.all(Array.from({ length: input.storms }, (_, i) => storm(i)));
  await sleep(STORM_SETTLES_MS);
  const before = cpuSeconds(storms);
  const beganMs = monotonicMs();
  const ownSlipMs = await pace(input, port);
  const stormCores = (cpuSeconds(storms) - before) / ((monotonicMs() - beganMs) / 1e3);
  return { arrivalsMs, ownSlipMs, stormCores };
});

async function startServer(onInit: () => void): Promise<Server> {
  const server = createServer((request, response) => {
    // First of all: what comes after it is not the client's.
    if (request.url === '/init') onInit();
    request.resume();
    response.writeHead(204).end();
  });
  server.keepAliveTimeout = 600_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function storm(index: number): Promise<ArenaAgent> {
  const port = AGENT_PORT + index;
  const agent = await startAgent({ poller: 'issue', mmdsPort: MMDS_PORT, port, tickMs: TICK_MS });
  await spawnPollers(agent, port, POLLERS);
  return agent;
}

function cpuSeconds(agents: readonly ArenaAgent[]): number {
  return agents.reduce((sum, { pid }) => sum + (useOfTree(pid)?.cpuSeconds ?? Number.NaN), 0);
}

async function pace(input: PunctualityInput, port: number): Promise<Punctuality['ownSlipMs']> {
  const url = `http://127.0.0.1:${port}/init`;
  const { pacer, seconds, program = '' } = input;
  switch (pacer) {
    case 'envd-bench':
      return drive(port, seconds);
    case 'autocannon': {
      const script = createRequire(import.meta.url).resolve('autocannon/autocannon.js');
      const args = ['-c', '1', '-R', String(1e3 / INTERVAL_MS), '-d', String(Math.ceil(seconds))];
      await toItsEnd(spawn(process.execPath, [script, ...args, url], { stdio: 'ignore' }));
      return null;
    }
    case 'vegeta': {
      const args = ['attack', `-rate=${1e3 / INTERVAL_MS}/s`, `-duration=${seconds}s`];
      const attack = spawn(program, args, { stdio: ['pipe', 'ignore', 'inherit'] });
      attack.stdin?.end(`GET ${url}\n`);
      await toItsEnd(attack);
      return null;
    }
  }
}

/** The driver of a run, in its thread. */
async function drive(port: number, seconds: number): Promise<Punctuality['ownSlipMs']> {
  const times = {
    ...{ intervalMs: INTERVAL_MS, outageMs: seconds * 1e3 },
    ...{ retryPauseMs: 5, retryBudgetMs: 10_000 },
  };
  const data = {
    ...{ host: '127.0.0.1', port, accessToken: 'bench', policyName: 'fixed', times },
    ...{ healthEveryMs: INTERVAL_MS, healthTimeoutMs: 5_000, initTimeoutMs: 10_000 },
  };
  const driver = new DriverPart(data, (how) => {
    throw new Error(`the driver ${how}`);
  });
  await driver.ready;
  driver.run(monotonicMs() + INTERVAL_MS);
  const { slipMs } = (await driver.finished).init;
  if (slipMs.p99 === null || slipMs.max === null) throw new Error('the driver sent nothing');
  return { p99: slipMs.p99, max: slipMs.max };
}

async function toItsEnd(child: ChildProcess): Promise<void> {
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`it ended with ${code}`);
}
