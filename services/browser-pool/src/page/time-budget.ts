/** The time of a wait is used up. */
export class DeadlineExceeded extends Error {
  override readonly name = 'TimeIsUp';
}

/** Time budget of a render, queue included. */
export class TimeBudget {
  readonly #deadlineMs: number;
  readonly #signal: AbortSignal;

  constructor(timeoutMs: number, signal: AbortSignal) {
    this.#deadlineMs = performance.now() + timeoutMs;
    this.#signal = signal;
  }

  get remainingMs(): number {
    return this.#signal.aborted ? 0 : Math.max(0, this.#deadlineMs - performance.now());
  }

  /** Returns the result of the promise if it settles before the deadline and within `maxMs`. @throws DeadlineExceeded */
  async within<T>(promise: Promise<T>, maxMs = Number.POSITIVE_INFINITY): Promise<T> {
    const deadline = Promise.withResolvers<never>();
    const onDeadline = () => deadline.reject(new DeadlineExceeded());
    const timer = setTimeout(onDeadline, Math.min(this.remainingMs, maxMs));
    this.#signal.addEventListener('abort', onDeadline);
    try {
      // Handles a rejection after the deadline.
      promise.catch(() => undefined);
      return await Promise.race([promise, deadline.promise]);
    } finally {
      clearTimeout(timer);
      this.#signal.removeEventListener('abort', onDeadline);
    }
  }
}
