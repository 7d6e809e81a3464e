import { always, defineFault } from '../fault.js';

export const none = defineFault({
  name: 'none',
  summary: 'MMDS answers as it should',
  cause: 'no fault: Firecracker serves the metadata that the host has put',
  phases: () => always({}),
});
