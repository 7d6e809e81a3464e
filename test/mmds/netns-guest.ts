/**
 * The guest side of netns.test.ts, in a network namespace of its own: does what the test asks for
 * over IPC. Not a test itself.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { assertMayReach } from '../../src/base/interlock.js';

const MMDS = '169.254.169.254';
const REQUEST =
  'PUT /latest/api/token HTTP/1.1\r\nHost: m\r\nX-metadata-token-ttl-seconds: 60\r\n\r\n';

/** `id` comes back in the reply: replies can overtake each other. */
export type GuestRequest = { readonly id: number } & GuestTask;

export type GuestTask =
  | { readonly do: 'ip'; readonly commands: readonly string[] }
  | {
      readonly do: 'ask';
      readonly times: number;
      readonly timeoutMs: number;
      readonly toTheEnd: boolean;
    }
  | { readonly do: 'counters' };

export interface GuestReply {
  readonly id: number;
  readonly error?: string;
  /** How each attempt ended: `answered`, `ended`, `timeout`, or the code of its error. */
  readonly outcomes?: readonly string[];
  readonly counters?: GuestCounters;
}

export interface GuestCounters {
  readonly activeOpens: number;
  readonly attemptFails: number;
  readonly timeWait: number;
  readonly synSent: number;
  readonly established: number;
}

process.on('disconnect', () => process.exit());
process.on('message', async (message) => {
  const request = message as GuestRequest;
  try {
    process.send?.({ id: request.id, ...(await handle(request)) });
  } catch (thrown) {
    process.send?.({ id: request.id, error: String(thrown) });
  }
});
process.send?.({ id: 0 });

async function handle(request: GuestTask): Promise<Omit<GuestReply, 'id'>> {
  switch (request.do) {
    case 'ip':
      for (const command of request.commands) {
        await promisify(execFile)('ip', command.split(' '), {
          env: { ...process.env, LC_ALL: 'C' },
        });
      }
      return {};
    case 'ask': {
      assertMayReach(MMDS);
      const attempts = Array.from({ length: request.times }, () =>
        attempt(request.timeoutMs, request.toTheEnd),
      );
      return { outcomes: await Promise.all(attempts) };
    }
    case 'counters':
      return { counters: await read() };
  }
}

/** One request as a poller makes it; closed at the answer, or only at the other side's end. */
function attempt(timeoutMs: number, toTheEnd: boolean): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: MMDS, port: 80 });
    const finish = (outcome: string) => {
      clearTimeout(timer);
      resolve(outcome);
      socket.destroy();
    };
    const timer = setTimeout(() => finish('timeout'), timeoutMs);
    socket.on('error', (error: NodeJS.ErrnoException) => finish(error.code ?? 'unknown'));
    socket.on('data', () => toTheEnd || finish('answered'));
    socket.on('end', () => finish('ended'));
    socket.write(REQUEST);
  });
}

async function read(): Promise<GuestCounters> {
  const snmp = (await readFile('/proc/self/net/snmp', 'utf8'))
    .split('\n')
    .filter((line) => line.startsWith('Tcp: '))
    .map((line) => line.split(' '));
  const value = (name: string) => Number(snmp[1]?.[snmp[0]?.indexOf(name) ?? -1]);
  const sockstat = await readFile('/proc/self/net/sockstat', 'utf8');
  const states = (await readFile('/proc/self/net/tcp', 'utf8'))
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/)[3]);
  return {
    activeOpens: value('ActiveOpens'),
    attemptFails: value('AttemptFails'),
    timeWait: Number(/^TCP: .* tw (\d+)/m.exec(sockstat)?.[1]),
    established: states.filter((state) => state === '01').length,
    synSent: states.filter((state) => state === '02').length,
  };
}
