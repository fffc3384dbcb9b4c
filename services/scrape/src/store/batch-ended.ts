import { events } from '@tidemark/contracts';
import { CaptureOptions } from '@tidemark/contracts/scrape/v1/scrape';
import { type OutgoingEvent, outgoingEvent } from '@tidemark/service';
import type pg from 'pg';
import { batchCounts } from '../domain/batch.ts';

interface EndedRow {
  readonly workspace_id: string;
  readonly status: string;
  readonly url: string;
  readonly created_at: Date;
  readonly finished_at: Date;
  readonly pages: number;
  readonly total: number;
  readonly credits: number;
  readonly error: string | null;
  readonly request_id: string;
  readonly options: unknown;
  readonly webhook_url: Buffer;
  readonly webhook_secret: Buffer;
  readonly webhook_events: string[];
  readonly webhook_metadata: string;
  readonly duplicates: number;
}

/**
 * Returns the event of a batch's end, read in the transaction that ends it, with its final counts and its webhook,
 * sealed. Undefined if the batch has no webhook.
 */
export async function batchEnded(client: pg.PoolClient, jobId: string): Promise<OutgoingEvent | undefined> {
  const [row] = (
    await client.query<EndedRow>({
      name: 'ended-batch',
      text: `
        SELECT workspace_id, status, url, created_at, finished_at, pages, total, credits, error, request_id, options, webhook_url, webhook_secret,
          webhook_events, webhook_metadata, duplicates
        FROM jobs WHERE id = $1 AND webhook_url IS NOT NULL AND webhook_secret IS NOT NULL`,
      values: [jobId],
    })
  ).rows;
  if (row === undefined) return undefined;
  const { rows } = await client.query<{ verdict: string; pages: number }>({
    name: 'ended-batch-counts',
    text: 'SELECT verdict, count(*)::int AS pages FROM batch_pages WHERE job_id = $1 AND verdict IS NOT NULL GROUP BY 1',
    values: [jobId],
  });
  const job = {
    ...{ id: jobId, kind: 'batch', status: row.status, url: row.url, stop: undefined, error: row.error ?? undefined },
    ...{ createdAt: row.created_at, finishedAt: row.finished_at, requestId: row.request_id },
    ...{ done: row.pages, total: row.total, creditsUsed: row.credits, queued: 0 },
    formats: CaptureOptions.fromJSON(row.options).formats,
    counts: batchCounts(Object.fromEntries(rows.map(({ verdict, pages }) => [verdict, pages])), row.duplicates),
  };
  return outgoingEvent(events.batchEnded, `batch-ended:${jobId}`, {
    ...{ workspaceId: row.workspace_id, at: row.finished_at, job },
    ...{ sealedUrl: row.webhook_url, sealedSecret: row.webhook_secret },
    ...{ events: row.webhook_events, metadataJson: row.webhook_metadata },
  });
}
