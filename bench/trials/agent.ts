import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Counters } from '../../src/agents/counters.js';
import { ACCESS_TOKEN } from '../../src/lane/agent-command.js';

const SCRIPT = fileURLToPath(new URL('../../src/agents/process.js', import.meta.url));

/** How long a start or an end may take, ms. */
const PATIENCE_MS = 30_000;

/** A reference agent in an arena, with its own counters as it prints them. */
export interface ArenaAgent {
  child: ChildProcess;
  pid: number;
  /** The latest counters that it printed. */
  counters(): Counters;
  /** Ends all pollers. @returns the counters after that */
  stopPolling(): Promise<Counters>;
}

export interface AgentOptions {
  poller: 'envd' | 'issue';
  /** Where MMDS is, or nothing listens. */
  mmdsPort: number;
  port: number;
  /** Period of a poller's ticker, ms. */
  tickMs: number;
  /** The program that pins it to a processor, and its arguments. */
  prefix?: readonly string[];
}

/**
 * Starts the agent that a run starts. The unguarded one, whose pollers outlive every trial.
 * @throws Error when it does not answer
 */
export async function startAgent(options: AgentOptions): Promise<ArenaAgent> {
  const command = [
    ...(options.prefix ?? []),
    ...[process.execPath, SCRIPT, '--guard=unguarded', `--poller=${options.poller}`],
    ...[`--port=${options.port}`, '--mmds-host=127.0.0.1', `--mmds-port=${options.mmdsPort}`],
    ...['--lifetime-ms=3600000', `--tick-ms=${options.tickMs}`],
    // With the token known, no /init asks MMDS: every attempt is a poller's.
    `--access-token=${ACCESS_TOKEN}`,
  ];
  const [program, ...args] = command;
  const child = spawn(program ?? '', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stderr.pipe(process.stderr);
  let latest: { counters: Counters; final: boolean } | undefined;
  createInterface({ input: child.stdout }).on('line', (line) => {
    latest = JSON.parse(line) as typeof latest;
  });
  await until(() => latest !== undefined, 'the agent prints no counters');
  const counters = (): Counters => {
    if (!latest) throw new Error('the agent has printed no counters');
    return latest.counters;
  };
  return {
    child,
    pid: child.pid ?? 0,
    counters,
    stopPolling: async () => {
      child.kill('SIGTERM');
      await until(() => latest?.final === true, 'the agent does not stop polling');
      return counters();
    },
  };
}

/** Connections on which pollers are started, at most. On a few, each would wait for turns of a busy loop. */
const MOST_CONNECTIONS = 1_000;

/**
 * Starts pollers: one `/init` each, on as many connections as there are pollers, up to 1,000.
 * @returns how many connections this opened
 * @throws Error when not all of them run
 */
export async function spawnPollers(
  agent: ArenaAgent,
  port: number,
  wanted: number,
): Promise<number> {
  const body = JSON.stringify({ accessToken: ACCESS_TOKEN });
  const init = `POST /init HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const connections = Math.min(wanted, MOST_CONNECTIONS);
  const sockets = await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect(port, '127.0.0.1');
      // Node accepts one connection a turn of its loop: all of them, then, before there is a storm.
      socket.write('GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
      await once(socket, 'data');
      return socket.resume();
    }),
  );
  for (const [i, socket] of sockets.entries()) {
    socket.write(init.repeat(Math.floor((wanted + i) / connections)));
  }
  const started = (): number => agent.counters().pollersSpawned;
  await until(
    () => started() >= wanted,
    () => `${started()} of ${wanted} pollers started`,
  );
  for (const socket of sockets) socket.destroy();
  return connections;
}

/** Waits for a condition. @throws Error with the reason, when it does not come */
export async function until(
  condition: () => boolean,
  reason: string | (() => string),
): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!condition()) {
    if (performance.now() > end) throw new Error(typeof reason === 'string' ? reason : reason());
    await sleep(5);
  }
}
