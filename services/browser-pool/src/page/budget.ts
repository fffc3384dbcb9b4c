/** Thrown where a wait has used up its time. */
export class TimeIsUp extends Error {
  override readonly name = 'TimeIsUp';
}

/** The wall time a render has, queue included. */
export class Budget {
  readonly #deadlineMs: number;
  readonly #signal: AbortSignal;

  constructor(timeoutMs: number, signal: AbortSignal) {
    this.#deadlineMs = performance.now() + timeoutMs;
    this.#signal = signal;
  }

  get remainingMs(): number {
    return this.#signal.aborted ? 0 : Math.max(0, this.#deadlineMs - performance.now());
  }

  /** The promise's result, if it comes before the deadline and within `mostMs`. @throws TimeIsUp */
  async within<T>(promise: Promise<T>, mostMs = Number.POSITIVE_INFINITY): Promise<T> {
    const late = Promise.withResolvers<never>();
    const giveUp = () => late.reject(new TimeIsUp());
    const timer = setTimeout(giveUp, Math.min(this.remainingMs, mostMs));
    this.#signal.addEventListener('abort', giveUp);
    try {
      // Whatever it comes to after the race is lost, somebody has listened.
      promise.catch(() => undefined);
      return await Promise.race([promise, late.promise]);
    } finally {
      clearTimeout(timer);
      this.#signal.removeEventListener('abort', giveUp);
    }
  }
}
