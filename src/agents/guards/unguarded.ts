import { type Guard, ignoreEnd } from './guard.js';

/** Every accepted `/init` starts a poller (envd 0.6.13 internal/api/init.go, PostInit). */
export const unguarded: Guard = {
  name: 'unguarded',
  summary: 'envd 0.6.13: every accepted /init starts a poller',
  version: '0.6.13',
  acceptsEmptyStore: true,
  create: (spawn) => () => {
    spawn().done.catch(ignoreEnd);
  },
};
