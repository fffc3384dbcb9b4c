import { events } from '@tidemark/contracts';
import { type Params, type RawBuilder, sql } from '@tidemark/sql';
import type pg from 'pg';
import type { OutgoingEvent } from './outgoing-event.ts';

const CONSUMERS: ReadonlyMap<string, string> = new Map(
  Object.values(events).map(({ subject, consumers }) => [subject, `{${consumers.join(',')}}`]),
);

/** Outbox rows as columns: the values of `insertEvents`. */
export interface OutboxColumns {
  readonly ids: readonly string[];
  readonly subjects: readonly string[];
  readonly payloads: readonly Buffer[];
  /** JSON. */
  readonly traces: readonly string[];
  /** Names of consumers, as literals of PostgreSQL arrays. */
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

/** Writes the part of a statement that inserts outbox rows. @param cause table of the statement with one row if they are to be inserted, else none */
export const insertEvents = (
  { ids, subjects, payloads, traces, awaiting }: Params<OutboxColumns>,
  cause: string,
): RawBuilder<unknown> => sql`
  INSERT INTO outbox (id, subject, payload, trace, awaiting)
  SELECT o.id, o.subject, o.payload, o.trace, o.awaiting::text[]
  FROM ${sql.ref(cause)}, unnest(${ids}::text[], ${subjects}::text[], ${payloads}::bytea[], ${traces}::jsonb[], ${awaiting}::text[])
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

/** Inserts outbox rows in the transaction of the change the events report. Idempotent. */
export async function writeEvents(client: pg.PoolClient | pg.Pool, events: readonly OutgoingEvent[]): Promise<void> {
  if (events.length === 0) return;
  const { ids, subjects, payloads, traces, awaiting } = outboxColumns(events);
  await client.query({
    name: 'write-events',
    text: `
      INSERT INTO outbox (id, subject, payload, trace, awaiting)
      SELECT o.id, o.subject, o.payload, o.trace, o.awaiting::text[]
      FROM unnest($1::text[], $2::text[], $3::bytea[], $4::jsonb[], $5::text[]) AS o(id, subject, payload, trace, awaiting)
      ON CONFLICT DO NOTHING`,
    values: [ids, subjects, payloads, traces, awaiting],
  });
}
