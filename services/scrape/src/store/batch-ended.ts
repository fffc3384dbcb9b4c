import { events } from '@tidemark/contracts';
import { CaptureOptions } from '@tidemark/contracts/scrape/v1/scrape';
import { type OutgoingEvent, outgoingEvent } from '@tidemark/service';
import { column, nullable, type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import { batchCounts } from '../domain/batch.ts';
import { schema, tables } from './tables.ts';

interface OfJob {
  readonly jobId: string;
}

const BATCH = schema.prepare('ended-batch', ({ jobId }: Params<OfJob>) =>
  tables
    .selectFrom('jobs')
    .select([
      'workspace_id',
      'status',
      'url',
      'created_at',
      'finished_at',
      'pages',
      'total',
      'credits',
      'error',
      'request_id',
      'options',
      'webhook_url',
      'webhook_secret',
      'webhook_events',
      'webhook_metadata',
      'duplicates',
      'destination_id',
    ])
    .$narrowType<{ finished_at: Date }>()
    .where('id', '=', jobId),
);
const COUNTS = schema.prepareText(
  'ended-batch-counts',
  { verdict: column('text'), missingValues: nullable('text'), pages: column('int4') },
  ({ jobId }: Params<OfJob>) =>
    sql`SELECT coalesce(verdict, '') AS verdict, missing_values AS "missingValues", count(*)::int AS pages
      FROM batch_pages WHERE job_id = ${jobId} AND verdict IS NOT NULL GROUP BY 1, 2`,
);

/** Adds the pages of rows with the same key; rows without a key are left out. */
function sumBy<T extends { readonly pages: number }>(
  rows: readonly T[],
  keyOf: (row: T) => string | null,
): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const row of rows) {
    const key = keyOf(row);
    if (key !== null) sums[key] = (sums[key] ?? 0) + row.pages;
  }
  return sums;
}

/** Returns the event that a scrape or a batch with a destination is done. */
export const jobEnded = (
  { id, workspaceId }: { readonly id: string; readonly workspaceId: string },
  of: { readonly kind: 'scrape' | 'batch'; readonly destinationId: string; readonly at: Date; readonly pages: number },
): OutgoingEvent => outgoingEvent(events.jobEnded, `job-ended:${id}`, { jobId: id, workspaceId, ...of });

/**
 * Returns the events of a batch's end, read in the transaction that ends it: with its final counts and its webhook, sealed, if it has one;
 * and that its pages are to be written, if it is done and has a destination.
 */
export async function batchEnded(client: pg.PoolClient, jobId: string): Promise<OutgoingEvent[]> {
  const row = await BATCH.row(client, { jobId });
  if (row === undefined) return [];
  const { destination_id: destinationId, workspace_id: workspaceId, finished_at: at } = row;
  const toWrite =
    destinationId === null || row.status !== 'done'
      ? []
      : [jobEnded({ id: jobId, workspaceId }, { kind: 'batch', destinationId, at, pages: row.pages })];
  if (row.webhook_url === null || row.webhook_secret === null) return toWrite;
  const webhook = { sealedUrl: row.webhook_url, sealedSecret: row.webhook_secret };
  const rows = await COUNTS.rows(client, { jobId });
  const job = {
    id: jobId,
    kind: 'batch' as const,
    status: row.status,
    url: row.url,
    stop: undefined,
    error: row.error ?? undefined,

    createdAt: row.created_at,
    finishedAt: row.finished_at,
    requestId: row.request_id,

    done: row.pages,
    total: row.total,
    creditsUsed: row.credits,
    queued: 0,
    destinationId: destinationId ?? undefined,
    formats: CaptureOptions.fromJSON(row.options).formats,
    counts: batchCounts(
      sumBy(rows, ({ verdict }) => verdict),
      row.duplicates,
    ),
    missingValues: sumBy(rows, (counted) => counted.missingValues),
  };
  const ended = outgoingEvent(events.batchEnded, `batch-ended:${jobId}`, {
    workspaceId,
    at,
    job,
    ...webhook,

    events: row.webhook_events,
    metadataJson: row.webhook_metadata,
  });
  return [ended, ...toWrite];
}
