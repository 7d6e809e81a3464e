const undone = new Set<() => void>();
let isListening = false;

/**
 * Does some work, and undoes what it has made when it is over: also when a signal or an error ends the
 * process first, which runs no `finally`.
 * @param undo takes away what is there by then; it cannot wait
 */
export async function whileAlive<T>(undo: () => void, work: () => Promise<T>): Promise<T> {
  listen();
  undone.add(undo);
  try {
    return await work();
  } finally {
    undone.delete(undo);
    undo();
  }
}

function listen(): void {
  if (isListening) return;
  isListening = true;
  process.on('exit', () => {
    for (const undo of undone) undo();
  });
  for (const [signal, status] of [
    ['SIGHUP', 129],
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.once(signal, () => process.exit(status));
  }
}
