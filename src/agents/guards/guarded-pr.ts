import { type Guard, ignoreEnd } from './guard.js';

/** Compare-and-swap on a flag that is released after the poll, but not when the poll throws. */
export const guardedPr: Guard = {
  name: 'guarded-pr',
  summary: 'compare-and-swap, but a poll that throws leaves the flag set for ever',
  version: '0.6.14',
  acceptsEmptyStore: true,
  create: (spawn) => {
    let polling = false;
    return () => {
      if (polling) return;
      polling = true;
      spawn().done.then(() => {
        polling = false;
      }, ignoreEnd);
    };
  },
};
