import { LRUCache } from 'lru-cache';

/** Failures in a row after which a model is not called. */
const MAX_FAILURES = 3;
/** Time without calls, ms. One call is then tried. */
const SKIP_MS = 60_000;
const MAX_REMEMBERED = 1_000;

/** Circuit breaker for the models of connections, per instance: a model that fails does not delay every page of a run. */
export class FailingModels {
  readonly #nowMs: () => number;
  readonly #failures = new LRUCache<string, { readonly count: number; readonly untilMs: number }>({
    max: MAX_REMEMBERED,
  });

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Whether the model of a connection is not to be called now. */
  isOpen(key: string): boolean {
    const { count, untilMs } = this.#failures.get(key) ?? { count: 0, untilMs: 0 };
    return count >= MAX_FAILURES && untilMs > this.#nowMs();
  }

  /** Records the result of a call. */
  record(key: string, isFailed: boolean): void {
    const count = (this.#failures.get(key)?.count ?? 0) + 1;
    if (isFailed) this.#failures.set(key, { count, untilMs: this.#nowMs() + SKIP_MS });
    else this.#failures.delete(key);
  }
}
