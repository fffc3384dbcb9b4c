const BATCH = 500;

/** Hands items on in batches, in their order, one at a time; the next is gathered meanwhile. */
export class BatchWriter<Item> {
  readonly #write: (batch: readonly Item[]) => Promise<void>;
  #batch: Item[] = [];
  #written = 0;
  #pending: Promise<void> = Promise.resolve();

  constructor(write: (batch: readonly Item[]) => Promise<void>) {
    this.#write = write;
  }

  /** Items handed over so far. */
  get written(): number {
    return this.#written + this.#batch.length;
  }

  /** @throws what the batch before could not be written for */
  async put(item: Item): Promise<void> {
    this.#batch.push(item);
    if (this.#batch.length >= BATCH) await this.#startWrite();
  }

  /** Waits until all is written. */
  async flush(): Promise<void> {
    await this.#startWrite();
    await this.#pending;
  }

  /** Waits until nothing is being written any more, whether that failed or not. */
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
    // The failure is thrown where it is awaited, in its turn.
    this.#pending.catch(() => {});
  }
}
