import { always, defineFault } from '../fault.js';

export const hang = defineFault({
  name: 'hang',
  summary: 'connections are accepted and never answered',
  cause: 'what serves MMDS is alive in the kernel and stuck in user space, such as a frozen proxy',
  phases: () => always({ connection: 'ignore', limited: false }),
});
