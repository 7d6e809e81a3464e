import { type Guard, ignoreEnd } from './guard.js';

/** Compare-and-swap on a flag that is released however the poll ends. */
export const guarded: Guard = {
  name: 'guarded',
  summary: 'compare-and-swap: an /init starts a poller only when none runs',
  version: '0.6.14',
  acceptsEmptyStore: true,
  create: (spawn) => {
    let polling = false;
    return () => {
      if (polling) return;
      polling = true;
      spawn()
        .done.catch(ignoreEnd)
        .finally(() => {
          polling = false;
        });
    };
  },
};
