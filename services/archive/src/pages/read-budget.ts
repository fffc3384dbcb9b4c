import { AppError } from '@tidemark/errors';

/** Bytes of bodies, before compression, that are read at the same time. */
const MAX_BYTES = 48 * 1024 * 1024;
const MAX_WAITING = 200;
const RETRY_AFTER_SECONDS = 2;

/** Limits the bytes of bodies that are read at the same time. A read has several copies of them in memory. */
export class ReadBudget {
  readonly #maxBytes: number;
  readonly #maxWaiting: number;
  readonly #waiting: { readonly bytes: number; readonly begin: () => void }[] = [];
  #bytes = 0;

  constructor(maxBytes = MAX_BYTES, maxWaiting = MAX_WAITING) {
    this.#maxBytes = maxBytes;
    this.#maxWaiting = maxWaiting;
  }

  /**
   * Runs `read` when its bytes fit, in the order of the calls. One larger than the budget runs alone.
   * @throws AppError unavailable if too many reads wait
   */
  async run<T>(bytes: number, read: () => Promise<T>): Promise<T> {
    if (this.#waiting.length > 0 || !this.#fits(bytes)) await this.#turn(bytes);
    else this.#bytes += bytes;
    try {
      return await read();
    } finally {
      this.#bytes -= bytes;
      this.#beginNext();
    }
  }

  #fits(bytes: number): boolean {
    return this.#bytes === 0 || this.#bytes + bytes <= this.#maxBytes;
  }

  #turn(bytes: number): Promise<void> {
    if (this.#waiting.length >= this.#maxWaiting) {
      throw new AppError('unavailable', 'too many large pages are being read; try again shortly', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    return new Promise((begin) => this.#waiting.push({ bytes, begin }));
  }

  #beginNext(): void {
    for (let next = this.#waiting[0]; next !== undefined && this.#fits(next.bytes); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#bytes += next.bytes;
      next.begin();
    }
  }
}

/** The budget of this process. */
export const readBudget = new ReadBudget();
