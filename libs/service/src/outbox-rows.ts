import { events } from '@tidemark/contracts';
import { type Params, type RawBuilder, sql } from '@tidemark/sql';
import type pg from 'pg';
import type { OutgoingEvent } from './outgoing-event.ts';
import { schema } from './tables.ts';

const CONSUMERS: ReadonlyMap<string, string> = new Map(
  Object.values(events).map(({ subject, consumers }) => [subject, `{${consumers.join(',')}}`]),
);

/** Outbox rows as columns: the values of `insertEvents`. */
export interface OutboxColumns {
  readonly ids: readonly string[];
  readonly subjects: readonly string[];
  readonly payloads: readonly Buffer[];
  /** JSON texts. */
  readonly traces: readonly string[];
  /** Texts of arrays. */
  readonly awaiting: readonly string[];
}

/** Returns the columns of outbox rows. */
export function outboxColumns(events: readonly OutgoingEvent[]): OutboxColumns {
  return {
    ids: events.map(({ id }) => id),
    subjects: events.map(({ subject }) => subject),
    payloads: events.map(({ payload }) => Buffer.from(payload)),
    traces: events.map(({ trace }) => JSON.stringify(trace)),
    awaiting: events.map(({ subject }) => CONSUMERS.get(subject) ?? '{}'),
  };
}

/**
 * Writes the part of a statement that inserts outbox rows. @param cause table of the statement that has one row if they are to be inserted, else
 * none; undefined: they always are
 */
export const insertEvents = (
  { ids, subjects, payloads, traces, awaiting }: Params<OutboxColumns>,
  cause?: string,
): RawBuilder<unknown> => sql`
  INSERT INTO outbox (id, subject, payload, trace, awaiting)
  SELECT o.id, o.subject, o.payload, o.trace, o.awaiting::text[]
  FROM ${cause === undefined ? sql`` : sql`${sql.ref(cause)},`}
    unnest(${ids}::text[], ${subjects}::text[], ${payloads}::bytea[], ${traces}::jsonb[], ${awaiting}::text[])
      AS o(id, subject, payload, trace, awaiting)`;

/** Returns outbox rows for `createMany` of a Prisma transaction. */
export const outboxRows = (outgoing: readonly OutgoingEvent[]) =>
  outgoing.map(({ id, subject, payload, trace }) => ({
    id,
    subject,
    payload: Uint8Array.from(payload),
    trace: { ...trace },
    awaiting: [...(Object.values(events).find((event) => event.subject === subject)?.consumers ?? [])],
  }));

const WRITE = schema.prepareText(
  'write-events',
  {},
  (lists: Params<OutboxColumns>) => sql`${insertEvents(lists)} ON CONFLICT DO NOTHING`,
);

/** Inserts outbox rows in the transaction of the change the events report. Idempotent. */
export async function writeEvents(client: pg.PoolClient | pg.Pool, events: readonly OutgoingEvent[]): Promise<void> {
  if (events.length === 0) return;
  await WRITE.change(client, outboxColumns(events));
}
