/** A model that took too long is not asked for so long. */
const SKIP_MS = 5 * 60_000;
const MAX_REMEMBERED = 1_000;

/** Connections whose model took too long a while ago, as this process knows them. */
export class SlowModels {
  readonly #nowMs: () => number;
  readonly #untilMs = new Map<string, number>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Whether it is not to be asked now. */
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
