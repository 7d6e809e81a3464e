import { always, defineFault } from '../fault.js';

// The kernel's own RST to the SYN: AttemptFails rises, and the port is free again at once.
export const refused = defineFault({
  name: 'refused',
  summary: 'nothing listens: every attempt is refused at once (RST)',
  cause: 'MMDS is not configured for the network interface, or a rule in the guest rejects it',
  phases: () => always({ reach: 'closed' }),
});
