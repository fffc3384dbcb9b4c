/** A model that timed out is not called for this long. */
const SKIP_MS = 5 * 60_000;
const MAX_REMEMBERED = 1_000;

/** Connections whose model timed out recently, per instance. */
export class SlowModels {
  readonly #nowMs: () => number;
  readonly #untilMs = new Map<string, number>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Whether the connection's model is to be skipped now. */
  has(connectionId: string): boolean {
    return (this.#untilMs.get(connectionId) ?? 0) > this.#nowMs();
  }

  add(connectionId: string): void {
    this.#untilMs.delete(connectionId);
    this.#untilMs.set(connectionId, this.#nowMs() + SKIP_MS);
    const oldest = this.#untilMs.size > MAX_REMEMBERED ? this.#untilMs.keys().next().value : undefined;
    if (oldest !== undefined) this.#untilMs.delete(oldest);
  }
}
