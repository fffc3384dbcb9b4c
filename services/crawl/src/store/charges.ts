import { facts } from '@tidemark/contracts';
import { type Outgoing, outboxColumns, outgoing } from '@tidemark/service';
import type pg from 'pg';
import type { Charge } from '../domain/charge.ts';

/** Charges as facts: one for each capture, whatever happens how often. */
export const toCharges = (workspaceId: string, charges: readonly Charge[], at: Date): Outgoing[] =>
  charges.map(({ captureId, credits, isPage }) =>
    outgoing(facts.runCharged, `credit:${captureId}`, {
      ref: captureId,
      workspaceId,
      kind: 'page',
      credits,
      pages: isPage ? 1 : 0,
      at,
    }),
  );

/** Writes them in the transaction of the pages they are for. */
export async function writeCharges(client: pg.PoolClient | pg.Pool, charges: readonly Outgoing[]): Promise<void> {
  if (charges.length === 0) return;
  const { ids, subjects, payloads, traces, awaiting } = outboxColumns(charges, facts);
  await client.query({
    name: 'write-charges',
    text: `
      INSERT INTO outbox (id, subject, payload, trace, awaiting)
      SELECT o.id, o.subject, o.payload, o.trace, o.awaiting::text[]
      FROM unnest($1::text[], $2::text[], $3::bytea[], $4::jsonb[], $5::text[]) AS o(id, subject, payload, trace, awaiting)
      ON CONFLICT DO NOTHING`,
    values: [ids, subjects, payloads, traces, awaiting],
  });
}
