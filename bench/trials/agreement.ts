import { fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { plainEnvironment } from '../../src/lane/network/command.js';
import { type MmdsReply, replySchema } from '../../src/mmds/messages.js';
import { spawnPollers, startAgent, until } from './agent.js';
import { activeOpens } from './meter.js';
import { trial } from './trial.js';

export interface AgreementInput {
  pollers: number;
  seconds: number;
}

/** One storm, counted three times. */
export interface Agreement {
  kernel: number;
  mmds: number;
  agent: number;
}

const HOST = '127.0.0.1';
const MMDS_PORT = 8080;
const AGENT_PORT = 49_983;

await trial(async (input: AgreementInput): Promise<Agreement> => {
  const mmds = await startMmds();
  const agent = await startAgent({
    poller: 'envd',
    mmdsPort: MMDS_PORT,
    port: AGENT_PORT,
    tickMs: 50,
  });
  const ours = await spawnPollers(agent, AGENT_PORT, input.pollers);
  await sleep(input.seconds * 1e3);
  const { attempts, localFailures } = await agent.stopPolling();
  const kernel = activeOpens() - ours;
  return { kernel, mmds: await mmds.accepted(), agent: attempts - localFailures };
});

/** The metadata service of a run, in its process, answering 503. */
async function startMmds(): Promise<{ accepted(): Promise<number> }> {
  const child = fork(fileURLToPath(new URL('../../src/mmds/process.js', import.meta.url)), {
    env: plainEnvironment(),
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const replies: MmdsReply[] = [];
  child.on('message', (message) => replies.push(replySchema.parse(message)));
  const ask = async (message: object): Promise<MmdsReply> => {
    const before = replies.length;
    child.send(message);
    await until(() => replies.length > before, 'MMDS does not answer');
    const reply = replies[before];
    if (!reply || reply.type === 'trouble') throw new Error(reply?.message ?? 'no reply');
    return reply;
  };
  const accepted = async (): Promise<number> => {
    const reply = await ask({ type: 'counters' });
    if (reply.type !== 'counters') throw new Error(`counters were expected, not ${reply.type}`);
    return reply.accepted;
  };
  await ask({
    type: 'start',
    config: {
      ...{ address: HOST, port: MMDS_PORT, network: { kind: 'loopback' }, metadata: null },
      ...{ version: 'V2', close: 'agent', fault: { name: 'http-error', parameters: {} } },
    },
  });
  return {
    // Connections that wait in the backlog are accepted yet: until there are no more of them.
    accepted: async () => {
      for (let last = -1; ; ) {
        const now = await accepted();
        if (now === last) return now;
        last = now;
        await sleep(200);
      }
    },
  };
}
