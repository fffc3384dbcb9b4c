const BATCH = 500;

/** Hands items on in batches. */
export class BatchWriter<Item> {
  readonly #write: (batch: readonly Item[]) => Promise<void>;
  #batch: Item[] = [];
  #written = 0;

  constructor(write: (batch: readonly Item[]) => Promise<void>) {
    this.#write = write;
  }

  /** Items handed over so far. */
  get written(): number {
    return this.#written + this.#batch.length;
  }

  async put(item: Item): Promise<void> {
    this.#batch.push(item);
    if (this.#batch.length >= BATCH) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#batch.length === 0) return;
    const batch = this.#batch;
    this.#batch = [];
    this.#written += batch.length;
    await this.#write(batch);
  }
}
