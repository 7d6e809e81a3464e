/** A semaphore of one, whose waiters can go away (golang.org/x/sync/semaphore as envd uses it). */
export class InitLock {
  private taken = false;
  private readonly waiters: (() => void)[] = [];

  /**
   * Waits for the lock.
   * @returns false when `signal` was aborted first; then the lock is not held
   */
  async acquire(signal: AbortSignal): Promise<boolean> {
    if (!this.taken) {
      this.taken = true;
      return true;
    }
    return new Promise((resolve) => {
      const enter = (): void => {
        signal.removeEventListener('abort', leave);
        resolve(true);
      };
      const leave = (): void => {
        this.waiters.splice(this.waiters.indexOf(enter), 1);
        resolve(false);
      };
      if (signal.aborted) {
        resolve(false);
        return;
      }
      this.waiters.push(enter);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  /** Hands the lock to the next waiter. */
  release(): void {
    const next = this.waiters.shift();
    if (next) next();
    else this.taken = false;
  }
}
