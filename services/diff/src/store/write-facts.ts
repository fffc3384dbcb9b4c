import { facts } from '@tidemark/contracts';
import { type Outgoing, outboxColumns } from '@tidemark/service';
import type pg from 'pg';

/** Writes facts in the transaction of what they tell of. */
export async function writeFacts(client: pg.PoolClient, told: readonly Outgoing[]): Promise<void> {
  const { ids, subjects, payloads, traces, awaiting } = outboxColumns(told, facts);
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
