import { always, defineFault } from '../fault.js';

// A RST leaves no TIME_WAIT on either side.
export const reset = defineFault({
  name: 'reset',
  summary: 'connections are accepted and reset at once (RST)',
  cause:
    'a proxy or load balancer before MMDS that has no backend, or a server that keeps crashing',
  phases: () => always({ connection: 'reset', limited: false }),
});
