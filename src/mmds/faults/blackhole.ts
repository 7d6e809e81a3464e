import { always, defineFault } from '../fault.js';

export const blackhole = defineFault({
  name: 'blackhole',
  summary: 'packets vanish: every attempt stays in SYN_SENT until its timeout',
  cause: 'the route or the neighbour entry for MMDS is gone, or a firewall drops the packets',
  loopbackRefusal:
    'the kernel always answers for 127.0.0.0/8, so that no packet vanishes there; it needs network namespaces',
  phases: () => always({ reach: 'vanished' }),
});
