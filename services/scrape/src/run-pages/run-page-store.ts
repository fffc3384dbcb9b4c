import { Coalescer, type OutgoingEvent, outboxColumns, retryWhileDatabaseUnavailable } from '@tidemark/service';
import type pg from 'pg';

/** Nobody waits for one page of a run: those that end within this time share a commit. */
const GATHER_MS = 40;

/** The facts of a run's pages, durable before they are told. A page told twice is stored once by everyone who hears of it. */
export class RunPageStore {
  readonly #pool: pg.Pool;
  readonly #writes: Coalescer<readonly OutgoingEvent[], undefined>;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
    this.#writes = new Coalescer((pages) => retryWhileDatabaseUnavailable(() => this.#write(pages), 20_000), {
      everyMs: GATHER_MS,
    });
  }

  /** Resolves when everything that is told of a page is committed. */
  async end(messages: readonly OutgoingEvent[]): Promise<void> {
    await this.#writes.add(messages);
  }

  async #write(pages: readonly (readonly OutgoingEvent[])[]): Promise<undefined[]> {
    const outbox = outboxColumns(pages.flat());
    await this.#pool.query({
      name: 'tell-run-pages',
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
