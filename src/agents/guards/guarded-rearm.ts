import { type Guard, ignoreEnd, type SpawnedPoller } from './guard.js';

/**
 * Compare-and-swap, but an `/init` that finds a poller running renews its deadline and makes it poll
 * once more: nobody who asked for an identity is left without one, and there is still one poller.
 */
export const guardedRearm: Guard = {
  name: 'guarded-rearm',
  summary: 'compare-and-swap, but an /init that finds a poller running renews it',
  version: '0.6.14',
  acceptsEmptyStore: false,
  create: (spawn) => {
    let running: SpawnedPoller | undefined;
    return () => {
      if (running) {
        running.renew();
        return;
      }
      const poller = spawn();
      running = poller;
      poller.done.catch(ignoreEnd).finally(() => {
        running = undefined;
      });
    };
  },
};
