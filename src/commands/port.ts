import { createServer } from 'node:net';
import { codeOf, UsageError } from '../base/errors.js';

/** Why a port cannot be listened on, in words. */
const REASONS: Record<string, string> = {
  EADDRINUSE: 'another program listens on it',
  EACCES: 'this user may not',
};

/** The line for a port that cannot be listened on; any other error as it is. */
export function portRefused(thrown: unknown, port: number, mend: string): unknown {
  const reason = REASONS[codeOf(thrown) ?? ''];
  return reason === undefined
    ? thrown
    : new UsageError(`cannot listen on port ${port}: ${reason}`, mend);
}

/** @throws UsageError when a port of 127.0.0.1 cannot be listened on */
export async function requireFree(port: number): Promise<void> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen({ host: '127.0.0.1', port }, resolve);
    });
  } catch (thrown) {
    throw portRefused(thrown, port, 'Give another --port');
  }
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
