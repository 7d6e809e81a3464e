import { parentPort, workerData } from 'node:worker_threads';
import { assertMayReach } from '../base/interlock.js';
import { lookUp } from '../base/nearest.js';
import type { MmdsAddress } from './attempt.js';
import { keepFiles } from './identity-files.js';
import type { Metadata } from './mmds-requests.js';
import { pollModels } from './poll-models.js';
import type { Poller } from './poller.js';
import { ThreadPollers } from './pollers.js';
import { sharedCounters } from './shared-counters.js';

/** What all pollers of an agent have in common, as it crosses into a thread. */
export interface PollerThreadSettings {
  mmds: MmdsAddress;
  /** The name of the poll model. */
  model: string;
  tickMs: number;
  acceptsEmptyStore: boolean;
  /** Where the identity is kept in files; undefined for nowhere. */
  runDir: string | undefined;
}

export interface PollerThreadData extends PollerThreadSettings {
  /** Where the thread counts (shared-counters.ts). */
  counters: SharedArrayBuffer;
}

export type PollerCommand =
  | { type: 'spawn'; id: number; lifetimeMs: number; startedAtMs: number }
  | { type: 'renew'; id: number }
  | { type: 'stop' };

export type PollerMessage =
  | { type: 'ready' }
  | { type: 'stored'; metadata: Metadata }
  /** `renewals`: how often it was renewed before it ended; `error`: what the poll threw, in words. */
  | { type: 'ended'; id: number; renewals: number; error: string | null }
  | { type: 'stopped' };

/** A thread that runs pollers; see poller-threads.ts. */
const { mmds, model, tickMs, acceptsEmptyStore, runDir, counters } = workerData as PollerThreadData;
assertMayReach(mmds.host);

// A refused attempt is an Error object; its stack trace costs more than the attempt itself.
Error.stackTraceLimit = 0;

const send = (message: PollerMessage): void => parentPort?.postMessage(message);

const pollers = new ThreadPollers({
  mmds,
  model: lookUp('poller', model, pollModels),
  tickMs,
  acceptsEmptyStore,
  counters: sharedCounters(counters),
  store: (metadata) => {
    send({ type: 'stored', metadata });
    keepFiles(runDir, metadata);
  },
});

/** Those that run, by the number that the agent gave them, and how often each was renewed. */
const running = new Map<number, { poller: Poller; renewals: number }>();

function spawn(id: number, lifetimeMs: number, startedAtMs: number): void {
  const entry = { poller: pollers.spawn(lifetimeMs, startedAtMs), renewals: 0 };
  running.set(id, entry);
  const end = (error: string | null): void => {
    running.delete(id);
    send({ type: 'ended', id, renewals: entry.renewals, error });
  };
  entry.poller.done.then(
    () => end(null),
    (thrown) => end(String(thrown)),
  );
}

parentPort?.on('message', async (command: PollerCommand) => {
  if (command.type === 'spawn') {
    spawn(command.id, command.lifetimeMs, command.startedAtMs);
  } else if (command.type === 'renew') {
    const entry = running.get(command.id);
    if (!entry) return;
    entry.renewals++;
    entry.poller.renew();
  } else {
    await pollers.stop();
    send({ type: 'stopped' });
    parentPort?.close();
  }
});
send({ type: 'ready' });
