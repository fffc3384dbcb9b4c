import { setTimeout as sleep } from 'node:timers/promises';
import type { MemoryGuard } from './memory-guard.ts';

const STEP_MS = 20;
/** Interval of the signal that a waiting message is still in progress, ms; a fraction of the consumers' `ack_wait`. */
const WORKING_MS = 10_000;

/** Counts the bytes of messages that are being stored, so that a consumer takes no more than it can hold. */
export class HeldBytes {
  readonly #guard: Pick<MemoryGuard, 'isFull'>;
  readonly #max: number;
  #bytes = 0;

  constructor(guard: Pick<MemoryGuard, 'isFull'>, max: number) {
    this.#guard = guard;
    this.#max = max;
  }

  /** Counts a message until it is stored. `stored` must not reject. */
  add(bytes: number, stored: Promise<void>): void {
    this.#bytes += bytes;
    void stored.then(() => {
      this.#bytes -= bytes;
    });
  }

  /** Resolves when another message may be taken. Calls `working` from time to time while a message is stored. */
  async untilBelow(working: () => void): Promise<void> {
    let waitedMs = 0;
    while (this.#bytes > this.#max || (this.#guard.isFull && this.#bytes > 0)) {
      await sleep(STEP_MS);
      waitedMs += STEP_MS;
      if (waitedMs % WORKING_MS === 0) working();
    }
  }
}
