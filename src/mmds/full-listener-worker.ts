import { createServer } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import type { FullListenerData } from './full-listener.js';

const { address, port, backlog, gate } = workerData as FullListenerData;

const server = createServer();
// Its thread's error reaches the parent as the error of the worker.
server.listen({ host: address, port, backlog }, () => {
  parentPort?.postMessage('listening');
  // Asleep, the thread accepts nothing.
  Atomics.wait(new Int32Array(gate), 0, 0);
  process.exit();
});
