import { events } from '@tidemark/contracts';
import { type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import type { OutgoingEvent } from './outgoing-event.ts';
import { schema } from './tables.ts';

const CONSUMERS: ReadonlyMap<string, string> = new Map(
  Object.values(events).map(({ subject, consumers }) => [subject, `{${consumers.join(',')}}`]),
);

/** Returns the columns of outbox rows for `INSERT … SELECT FROM unnest(…)`: ids, subjects, payloads, traces and awaited consumers. */
export function outboxColumns(events: readonly OutgoingEvent[]): OutboxLists {
  return {
    ids: events.map(({ id }) => id),
    subjects: events.map(({ subject }) => subject),
    payloads: events.map(({ payload }) => Buffer.from(payload)),
    traces: events.map(({ trace }) => JSON.stringify(trace)),
    awaiting: events.map(({ subject }) => CONSUMERS.get(subject) ?? '{}'),
  };
}

/** Returns outbox rows for `createMany` of a Prisma transaction. */
export const outboxRows = (outgoing: readonly OutgoingEvent[]) =>
  outgoing.map(({ id, subject, payload, trace }) => ({
    id,
    subject,
    payload: Uint8Array.from(payload),
    trace: { ...trace },
    awaiting: [...(Object.values(events).find((event) => event.subject === subject)?.consumers ?? [])],
  }));

interface OutboxLists {
  readonly ids: readonly string[];
  readonly subjects: readonly string[];
  readonly payloads: readonly Buffer[];
  /** JSON texts. */
  readonly traces: readonly string[];
  /** Texts of arrays. */
  readonly awaiting: readonly string[];
}

const WRITE = schema.prepareText(
  'write-events',
  {},
  ({ ids, subjects, payloads, traces, awaiting }: Params<OutboxLists>) => sql`
    INSERT INTO outbox (id, subject, payload, trace, awaiting)
    SELECT o.id, o.subject, o.payload, o.trace, o.awaiting::text[]
    FROM unnest(${ids}::text[], ${subjects}::text[], ${payloads}::bytea[], ${traces}::jsonb[], ${awaiting}::text[])
      AS o(id, subject, payload, trace, awaiting)
    ON CONFLICT DO NOTHING`,
);

/** Inserts outbox rows in the transaction of the change the events report. Idempotent. */
export async function writeEvents(client: pg.PoolClient | pg.Pool, events: readonly OutgoingEvent[]): Promise<void> {
  if (events.length === 0) return;
  await WRITE.change(client, outboxColumns(events));
}
