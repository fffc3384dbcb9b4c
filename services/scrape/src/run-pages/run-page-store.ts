import { Coalescer, type OutgoingEvent, retryWhileDatabaseUnavailable, writeEvents } from '@tidemark/service';
import type pg from 'pg';

/** Write interval, ms: pages that end within it share a commit. */
const GATHER_MS = 40;
/** Write interval while several pages end in each. */
const BUSY_GATHER_MS = 120;

/** Writes the events of run pages to the outbox. Safe to repeat: an event is stored once per consumer. */
export class RunPageStore {
  readonly #pool: pg.Pool;
  readonly #writes: Coalescer<readonly OutgoingEvent[], undefined>;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
    this.#writes = new Coalescer((pages) => retryWhileDatabaseUnavailable(() => this.#write(pages), 20_000), {
      everyMs: GATHER_MS,
      busyEveryMs: BUSY_GATHER_MS,
    });
  }

  /** Resolves when all events of a page are committed. */
  async end(messages: readonly OutgoingEvent[]): Promise<void> {
    await this.#writes.add(messages);
  }

  async #write(pages: readonly (readonly OutgoingEvent[])[]): Promise<undefined[]> {
    await writeEvents(this.#pool, pages.flat());
    return pages.map(() => undefined);
  }
}
