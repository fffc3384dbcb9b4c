/** Calls back once after a time, from which pauses are left out. */
export class PausableTimer {
  readonly #onEnd: () => void;
  #leftMs: number;
  #startedAtMs = performance.now();
  #timer: NodeJS.Timeout | undefined;

  constructor(onEnd: () => void, ms: number) {
    this.#onEnd = onEnd;
    this.#leftMs = ms;
    this.#timer = setTimeout(onEnd, ms);
  }

  /** Runs `wait` while the timer does not count. */
  async pauseDuring(wait: () => Promise<void>): Promise<void> {
    clearTimeout(this.#timer);
    this.#leftMs -= performance.now() - this.#startedAtMs;
    try {
      await wait();
    } finally {
      if (this.#timer !== undefined) {
        this.#startedAtMs = performance.now();
        this.#timer = setTimeout(this.#onEnd, Math.max(1, this.#leftMs));
      }
    }
  }

  /** Ends the timer, during a pause too. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
