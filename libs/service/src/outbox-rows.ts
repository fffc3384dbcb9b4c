import { facts } from '@tidemark/contracts';
import type pg from 'pg';
import type { Outgoing } from './bus.ts';

const CONSUMERS: ReadonlyMap<string, string> = new Map(
  Object.values(facts).map(({ subject, consumers }) => [subject, `{${consumers.join(',')}}`]),
);

/** The columns of outbox rows for `INSERT … SELECT FROM unnest(…)`: ids, subjects, payloads, traces, and who must confirm. */
export function outboxColumns(told: readonly Outgoing[]) {
  return {
    ids: told.map(({ id }) => id),
    subjects: told.map(({ subject }) => subject),
    payloads: told.map(({ payload }) => Buffer.from(payload)),
    traces: told.map(({ trace }) => JSON.stringify(trace)),
    awaiting: told.map(({ subject }) => CONSUMERS.get(subject) ?? '{}'),
  };
}

/** Writes facts in the transaction of the change they tell of. Safe to repeat. */
export async function writeFacts(client: pg.PoolClient | pg.Pool, told: readonly Outgoing[]): Promise<void> {
  if (told.length === 0) return;
  const { ids, subjects, payloads, traces, awaiting } = outboxColumns(told);
  await client.query({
    name: 'write-facts',
    text: `
      INSERT INTO outbox (id, subject, payload, trace, awaiting)
      SELECT o.id, o.subject, o.payload, o.trace, o.awaiting::text[]
      FROM unnest($1::text[], $2::text[], $3::bytea[], $4::jsonb[], $5::text[]) AS o(id, subject, payload, trace, awaiting)
      ON CONFLICT DO NOTHING`,
    values: [ids, subjects, payloads, traces, awaiting],
  });
}
