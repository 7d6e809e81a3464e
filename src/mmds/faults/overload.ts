import { always, defineFault } from '../fault.js';

// To a SYN for which it has no room Firecracker answers a RST that acknowledges the SYN's own
// sequence number, not the next one (RstConfig::new in src/vmm/src/dumbo/tcp/mod.rs: the SYN is not
// counted as payload). RFC 9293 3.10.7.3 has such a RST dropped, and Linux does: the attempt is
// NOT refused but stays in SYN_SENT, repeats its SYN after about 10 ms and then every second or
// more slowly, and gets in when it meets a free place. Tried with hand-made packets on Linux 6.18.
// A listener whose accept queue is full looks the same: SYNs get no answer. Two differences: the
// early repetition after 10 ms is missing, and no RST is seen on the wire.
export const overload = defineFault({
  name: 'overload',
  summary: "Firecracker's 30 connections are all taken: further attempts stay in SYN_SENT",
  cause: 'other programs in the guest hold and use all connections that Firecracker serves',
  phases: () => always({ reach: 'full' }),
});
