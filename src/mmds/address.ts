import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { currentNetns, ORIGIN_NETNS } from '../base/interlock.js';

const run = promisify(execFile);

/**
 * Takes the service's address away from the host side's device, or gives it back. While it is
 * away the host drops packets for it silently, because it does not forward.
 * @throws Error when `ip` fails, or when this process is not in a network namespace that the
 * run made itself: the machine's own addresses are never touched
 */
export async function setAddress(
  action: 'add' | 'del',
  address: string,
  device: string,
): Promise<void> {
  const origin = process.env[ORIGIN_NETNS];
  if (!origin || origin === currentNetns()) {
    throw new Error(`refusing to change addresses of ${device}: not in a namespace of its own`);
  }
  await run('ip', ['addr', action, `${address}/32`, 'dev', device], {
    env: { ...process.env, LC_ALL: 'C' },
    timeout: 10_000,
  });
}
