/** Entries of a batch from which the next one is written after `busyEveryMs`. */
const BUSY_SIZE = 4;

interface CoalescerOptions<T> {
  readonly maxBatch?: number;
  readonly maxWriters?: number;
  readonly everyMs?: number;
  readonly busyEveryMs?: number;
  readonly sizeOf?: (item: T) => number;
}

/**
 * Group commit: items that arrive during a write are written together in the next batch. An idle coalescer writes immediately,
 * so a single caller has no delay. `everyMs` is the minimum time between two batches, for larger batches where latency does not matter;
 * `busyEveryMs` is the one after a batch of several entries, whose followers come in a stream: larger batches cost less an entry.
 * `sizeOf` returns the number of entries of an item, 1 by default.
 *
 * `write` returns one result per item, in order. A failed batch of several is retried item by item, so that one invalid item
 * fails alone.
 */
export class Coalescer<T, R> {
  readonly #sizeOf: (item: T) => number;
  readonly #busyEveryMs: number;
  readonly #write: (items: readonly T[]) => Promise<readonly R[]>;
  readonly #maxBatch: number;
  readonly #maxWriters: number;
  readonly #everyMs: number;
  #beganAtMs = -Infinity;
  #intervalMs: number;
  #writers = 0;
  #isScheduled = false;
  #waiting: { item: T; resolve: (result: R) => void; reject: (error: unknown) => void }[] = [];

  constructor(write: (items: readonly T[]) => Promise<readonly R[]>, options: CoalescerOptions<T> = {}) {
    this.#write = write;
    this.#maxBatch = options.maxBatch ?? 100;
    this.#maxWriters = options.maxWriters ?? 1;
    this.#everyMs = options.everyMs ?? 0;
    this.#busyEveryMs = options.busyEveryMs ?? this.#everyMs;
    this.#sizeOf = options.sizeOf ?? (() => 1);
    this.#intervalMs = this.#everyMs;
  }

  /** Resolves when the item's batch has been written. */
  add(item: T): Promise<R> {
    const done = new Promise<R>((resolve, reject) => this.#waiting.push({ item, resolve, reject }));
    // The current turn of the event loop may add more items.
    if (this.#waiting.length === 1) this.#soon();
    return done;
  }

  #soon(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const dueInMs = this.#beganAtMs + this.#intervalMs - performance.now();
    if (dueInMs > 0) setTimeout(() => this.#pump(), dueInMs);
    else setImmediate(() => this.#pump());
  }

  #pump(): void {
    this.#isScheduled = false;
    if (this.#waiting.length > 0 && this.#writers < this.#maxWriters) this.#beganAtMs = performance.now();
    while (this.#waiting.length > 0 && this.#writers < this.#maxWriters) {
      const batch = this.#waiting.splice(0, this.#maxBatch);
      this.#intervalMs = this.#intervalAfter(batch.map(({ item }) => item));
      this.#writers += 1;
      void this.#writeBatch(batch).finally(() => {
        this.#writers -= 1;
        if (this.#waiting.length > 0) this.#soon();
      });
    }
  }

  #intervalAfter(batch: readonly T[]): number {
    // A full batch does not grow by waiting.
    if (batch.length === this.#maxBatch) return 0;
    const size = batch.reduce((sum, item) => sum + this.#sizeOf(item), 0);
    return size < BUSY_SIZE ? this.#everyMs : this.#busyEveryMs;
  }

  async #writeBatch(
    batch: readonly { item: T; resolve: (result: R) => void; reject: (error: unknown) => void }[],
  ): Promise<void> {
    try {
      const results = await this.#write(batch.map((entry) => entry.item));
      if (results.length !== batch.length)
        throw new Error(`batch of ${batch.length} returned ${results.length} results`);
      for (const [index, result] of results.entries()) batch[index]?.resolve(result);
    } catch (error) {
      const [only, ...more] = batch;
      if (only !== undefined && more.length === 0) only.reject(error);
      else for (const entry of batch) await this.#writeBatch([entry]);
    }
  }
}
