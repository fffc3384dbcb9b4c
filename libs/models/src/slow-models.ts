import { LRUCache } from 'lru-cache';

/** A model that timed out is not called for this long. */
const SKIP_MS = 5 * 60_000;
const MAX_REMEMBERED = 1_000;

/** Connections whose model timed out recently, per instance. */
export class SlowModels {
  readonly #nowMs: () => number;
  readonly #untilMs = new LRUCache<string, number>({ max: MAX_REMEMBERED });

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Whether the connection's model is to be skipped now. */
  has(connectionId: string): boolean {
    return (this.#untilMs.get(connectionId) ?? 0) > this.#nowMs();
  }

  add(connectionId: string): void {
    this.#untilMs.set(connectionId, this.#nowMs() + SKIP_MS);
  }
}
