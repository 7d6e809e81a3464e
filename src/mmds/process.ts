/**
 * The process of a metadata service, so that it shares no event loop with the driver. Its parent
 * starts it with an IPC channel and speaks to it in the messages of messages.ts; it ends when
 * that channel does.
 */
import { messageOf } from '../base/errors.js';
import { LOOP_TOLD_EVERY_MS, loopReading } from '../base/event-loop.js';
import { type MmdsReply, type MmdsRequest, requestSchema } from './messages.js';
import { type Mmds, startMmds } from './mmds.js';

let mmds: Mmds | undefined;
let turn: Promise<void> = Promise.resolve();
let teller: NodeJS.Timeout | undefined;

// A terminal sends these to every process of the run; the parent tears down, and then this ends.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});

process.on('disconnect', () => {
  // An address that a fault took away is given back, for whoever uses the namespace next.
  (mmds?.stop() ?? Promise.resolve()).catch(() => {}).finally(() => process.exit());
});

process.on('message', (message) => {
  turn = turn.then(async () => {
    try {
      const parsed = requestSchema.safeParse(message);
      if (!parsed.success) {
        const issue = parsed.error.issues[0];
        throw new Error(`bad message: ${issue?.path.join('.')}: ${issue?.message}`);
      }
      const answer = await handle(parsed.data);
      mmds?.flush();
      reply(answer);
    } catch (thrown) {
      trouble(messageOf(thrown));
    }
  });
});

async function handle(request: MmdsRequest): Promise<MmdsReply> {
  if (request.type === 'start') {
    if (mmds) throw new Error('started already');
    mmds = await startMmds(request.config, { onTrouble: trouble });
    return { type: 'ready', address: mmds.address, port: mmds.port };
  }
  if (!mmds) throw new Error(`not started yet: ${request.type}`);
  switch (request.type) {
    case 'fault':
      await mmds.setFault(request.fault);
      return { type: 'faultApplied', fault: request.fault };
    case 'metadata':
      mmds.setMetadata(request.metadata);
      return { type: 'metadataApplied' };
    case 'counters':
      return { type: 'counters', ...mmds.counters };
    case 'watch':
      mmds.watch(request.on ? (events) => reply({ type: 'events', events }) : undefined);
      return { type: 'watchApplied', on: request.on };
    case 'tellLoop':
      clearInterval(teller);
      teller = setInterval(() => reply(aboutLoop()), LOOP_TOLD_EVERY_MS);
      return aboutLoop();
  }
}

function aboutLoop(): MmdsReply {
  return { type: 'loop', loop: loopReading() };
}

function trouble(message: string): void {
  reply({ type: 'trouble', message: message.split('\n')[0] ?? '' });
}

function reply(message: MmdsReply): void {
  // The parent may be gone already; then there is nobody to tell.
  if (process.connected) process.send?.(message, () => {});
}
