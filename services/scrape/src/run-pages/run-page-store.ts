import { Coalescer, type OutgoingEvent, outboxColumns, retryWhileDatabaseUnavailable } from '@tidemark/service';
import type pg from 'pg';

/** Write interval, ms: pages that end within it share a commit. */
const GATHER_MS = 40;

/** Writes the events of run pages to the outbox. Safe to repeat: an event is stored once per consumer. */
export class RunPageStore {
  readonly #pool: pg.Pool;
  readonly #writes: Coalescer<readonly OutgoingEvent[], undefined>;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
    this.#writes = new Coalescer((pages) => retryWhileDatabaseUnavailable(() => this.#write(pages), 20_000), {
      everyMs: GATHER_MS,
    });
  }

  /** Resolves when all events of a page are committed. */
  async end(messages: readonly OutgoingEvent[]): Promise<void> {
    await this.#writes.add(messages);
  }

  async #write(pages: readonly (readonly OutgoingEvent[])[]): Promise<undefined[]> {
    const outbox = outboxColumns(pages.flat());
    await this.#pool.query({
      name: 'write-run-page-events',
      text: `
        INSERT INTO outbox (id, subject, payload, trace, awaiting)
        SELECT o.id, o.subject, o.payload, o.trace, o.awaiting::text[]
        FROM unnest($1::text[], $2::text[], $3::bytea[], $4::jsonb[], $5::text[]) AS o(id, subject, payload, trace, awaiting)
        ON CONFLICT DO NOTHING`,
      values: [outbox.ids, outbox.subjects, outbox.payloads, outbox.traces, outbox.awaiting],
    });
    return pages.map(() => undefined);
  }
}
