const BATCH = 500;

/** Writes items in batches, in order, one batch at a time. The next batch is filled during a write. */
export class BatchWriter<Item> {
  readonly #write: (batch: readonly Item[]) => Promise<void>;
  #batch: Item[] = [];
  #written = 0;
  #pending: Promise<void> = Promise.resolve();

  constructor(write: (batch: readonly Item[]) => Promise<void>) {
    this.#write = write;
  }

  /** Number of items accepted so far. */
  get written(): number {
    return this.#written + this.#batch.length;
  }

  /** @throws the error of the previous batch */
  async put(item: Item): Promise<void> {
    this.#batch.push(item);
    if (this.#batch.length >= BATCH) await this.#startWrite();
  }

  /** Writes the remaining items and waits for them. */
  async flush(): Promise<void> {
    await this.#startWrite();
    await this.#pending;
  }

  /** Waits for the pending write; ignores its error. */
  async drain(): Promise<void> {
    await this.#pending.catch(() => {});
  }

  async #startWrite(): Promise<void> {
    await this.#pending;
    if (this.#batch.length === 0) return;
    const batch = this.#batch;
    this.#batch = [];
    this.#written += batch.length;
    this.#pending = this.#write(batch);
    // Avoids an unhandled rejection; the error is thrown by the next call.
    this.#pending.catch(() => {});
  }
}
