import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { loopbackReader } from '../../observe/loopback-reader.js';
import { readProc } from '../../observe/proc/counters.js';
import type { Exit } from '../death.js';
import { plainEnvironment } from './command.js';
import { portCapacity } from './netns.js';
import type { Address, AgentProcess, LaneNetwork } from './network.js';

/**
 * A lane on the shared loopback device, for machines without user namespaces. Every lane has an
 * address of its own in 127.0.0.0/8, so that it starts without any TIME_WAIT of another.
 */
export async function loopbackNetwork(): Promise<LaneNetwork> {
  const host = `127.${randomInt(64, 128)}.${randomInt(0, 256)}.${randomInt(1, 255)}`;
  const mmds = { host, port: await freePort(host) };
  return {
    mmds,
    agent: { host, port: await freePort(host) },
    mmdsSide: { kind: 'loopback' },
    side: () => [],
    startAgent: async (command, confineTo) => {
      if (confineTo !== undefined) throw new Error('an external agent needs a network of its own');
      return startAgent(mmds, command);
    },
  };
}

function startAgent(mmds: Address, command: readonly string[]): AgentProcess {
  const [program, ...args] = command;
  const child = spawn(program ?? '', args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: plainEnvironment(),
  });
  child.stdin.on('error', () => {});
  const exited = new Promise<Exit>((resolve) => {
    child.once('error', (error) => resolve({ code: null, signal: null, error: error.message }));
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  const sys = '/proc/sys/net/ipv4';
  return {
    pid: () => child.pid,
    stdout: child.stdout,
    stderr: child.stderr,
    exited,
    limits: {
      ports: portCapacity(
        readProc(`${sys}/ip_local_port_range`) ?? '',
        readProc(`${sys}/ip_local_reserved_ports`) ?? '',
      ),
      timeWait: Number(readProc(`${sys}/tcp_max_tw_buckets`)) || null,
    },
    reader: loopbackReader(mmds),
    terminate: () => child.kill('SIGTERM'),
    quit: () => child.kill('SIGQUIT'),
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    // On loopback no agent keeps files: they would lie among those of the host.
    pathOf: () => undefined,
    rootFile: () => undefined,
    destroy: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** A port that nobody listens on at that address just now. */
function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ host, port: 0 }, () => {
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
