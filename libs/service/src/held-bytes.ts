import { setTimeout as sleep } from 'node:timers/promises';
import type { JsMsg } from '@nats-io/jetstream';
import type { MemoryGuard } from './memory-guard.ts';

/** Messages of one consumer that the client requests ahead. A message has 1 MB at most, unless it is a single event. */
export const PREFETCHED = 100;
/** Bytes of unstored messages of one consumer above which it takes no more. */
const MAX_HELD_BYTES = 16 * 1024 * 1024;

const STEP_MS = 20;
/** Interval of the signal that a waiting message is still in progress, ms; a fraction of the consumers' `ack_wait`. */
const WORKING_MS = 10_000;

/** Counts the bytes of messages that are being stored, so that a consumer takes no more than it can hold. */
export class HeldBytes {
  readonly #guard: Pick<MemoryGuard, 'isFull'>;
  readonly #max: number;
  #bytes = 0;

  constructor(guard: Pick<MemoryGuard, 'isFull'>, max = MAX_HELD_BYTES) {
    this.#guard = guard;
    this.#max = max;
  }

  /** Counts a message until it is stored, and resolves when another may be taken. `stored` must not reject. */
  async take(message: Pick<JsMsg, 'data' | 'working'>, stored: Promise<void>): Promise<void> {
    const bytes = message.data.length;
    this.#bytes += bytes;
    void stored.then(() => {
      this.#bytes -= bytes;
    });
    let waitedMs = 0;
    while (this.#bytes > this.#max || (this.#guard.isFull && this.#bytes > 0)) {
      await sleep(STEP_MS);
      waitedMs += STEP_MS;
      if (waitedMs % WORKING_MS === 0) message.working();
    }
  }
}
