import { facts } from '@tidemark/contracts';
import { type Outgoing, outboxColumns, outgoing } from '@tidemark/service';
import type pg from 'pg';
import { Verdicts } from './run-record.ts';

export interface EndedRow {
  readonly id: string;
  readonly workspace_id: string;
  readonly project_id: string | null;
  readonly trigger: string;
  readonly status: string;
  readonly stop: string | null;
  readonly finished_at: Date | null;
  readonly done: number;
  readonly verdicts: unknown;
  readonly credits: number;
}

/** That a run of a project has ended, as a fact; a run without one concerns nobody. */
export function toFinished(row: EndedRow): Outgoing[] {
  if (row.project_id === null) return [];
  return [
    outgoing(facts.runFinished, `finished:${row.id}`, {
      runId: row.id,
      workspaceId: row.workspace_id,
      projectId: row.project_id,
      trigger: row.trigger,
      status: row.status,
      stop: row.status === 'error' ? '' : (row.stop ?? ''),
      finishedAt: row.finished_at ?? undefined,
      pages: row.done,
      counts: Verdicts.parse(row.verdicts),
      creditsUsed: row.credits,
    }),
  ];
}

/** Writes them in the transaction of the move they tell of. */
export async function writeFinished(client: pg.PoolClient, told: readonly Outgoing[]): Promise<void> {
  if (told.length === 0) return;
  const { ids, subjects, payloads, traces, awaiting } = outboxColumns(told, facts);
  await client.query({
    name: 'write-finished',
    text: `
      INSERT INTO outbox (id, subject, payload, trace, awaiting)
      SELECT o.id, o.subject, o.payload, o.trace, o.awaiting::text[]
      FROM unnest($1::text[], $2::text[], $3::bytea[], $4::jsonb[], $5::text[]) AS o(id, subject, payload, trace, awaiting)
      ON CONFLICT DO NOTHING`,
    values: [ids, subjects, payloads, traces, awaiting],
  });
}
