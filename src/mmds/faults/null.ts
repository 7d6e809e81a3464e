import { always, defineFault } from '../fault.js';
import { Store } from '../store.js';

export const nullStore = defineFault({
  name: 'null',
  summary: 'the store is empty: GET / with JSON answers 200 null',
  cause: 'a VM resumed from a snapshot before the host has put the new metadata',
  phases: () =>
    always({
      answer: (head, firecracker, closing) => firecracker.encoded(head, closing, Store.empty),
    }),
});
