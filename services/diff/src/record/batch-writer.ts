const BATCH = 500;

/** Hands items on in batches, in their order, one at a time; the next is gathered meanwhile. */
export class BatchWriter<Item> {
  readonly #write: (batch: readonly Item[]) => Promise<void>;
  #batch: Item[] = [];
  #written = 0;
  #underWay: Promise<void> = Promise.resolve();

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
    if (this.#batch.length >= BATCH) await this.#handOn();
  }

  /** Waits until all is written. */
  async flush(): Promise<void> {
    await this.#handOn();
    await this.#underWay;
  }

  /** Waits until nothing is being written any more, whether that failed or not. */
  async settle(): Promise<void> {
    await this.#underWay.catch(() => {});
  }

  async #handOn(): Promise<void> {
    await this.#underWay;
    if (this.#batch.length === 0) return;
    const batch = this.#batch;
    this.#batch = [];
    this.#written += batch.length;
    this.#underWay = this.#write(batch);
    // The failure is thrown where it is awaited, in its turn.
    this.#underWay.catch(() => {});
  }
}
