/** Resolves waits for the pages of a job when this process has stored some of them. */
export class Arrivals {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** Resolves when a page of the job arrives, or after `ms`. */
  next(jobId: string, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const waiters = this.#waiting.get(jobId) ?? new Set();
      this.#waiting.set(jobId, waiters);
      const done = () => {
        clearTimeout(timer);
        waiters.delete(done);
        if (waiters.size === 0) this.#waiting.delete(jobId);
        resolve();
      };
      const timer = setTimeout(done, ms);
      waiters.add(done);
    });
  }

  announce(jobIds: Iterable<string>): void {
    for (const jobId of new Set(jobIds)) for (const done of this.#waiting.get(jobId) ?? []) done();
  }
}
