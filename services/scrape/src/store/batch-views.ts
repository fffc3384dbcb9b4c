import type pg from 'pg';
import type { Batch } from '../domain/batch.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { toBatch } from './job-record.ts';

export interface EndedPage {
  readonly pageId: string;
  readonly number: number;
  /** Positions in the caller's list that the page answers, from 0. */
  readonly inputs: readonly number[];
}

/** A part of the completed pages. */
export interface EndedRange {
  readonly after: number;
  readonly limit: number;
}

/** Queries over batches: progress, completed pages, abandoned pages. */
export class BatchViews {
  readonly #pool: pg.Pool;
  readonly #db: PrismaClient;

  constructor(pool: pg.Pool, db: PrismaClient) {
    this.#pool = pool;
    this.#db = db;
  }

  /** Returns an unfinished batch of any workspace. */
  async find(id: string): Promise<Batch | undefined> {
    const record = await this.#db.job.findFirst({
      where: { id, kind: 'batch', status: { in: ['queued', 'running'] } },
    });
    return record === null ? undefined : toBatch(record);
  }

  /** Returns the number of completed pages by verdict, and of queued ones. */
  async tally(jobId: string): Promise<{ counts: Record<string, number>; queued: number }> {
    const { rows } = await this.#pool.query<{ status: string; verdict: string | null; pages: number }>({
      name: 'batch-tally',
      text: 'SELECT status, verdict, count(*)::int AS pages FROM batch_pages WHERE job_id = $1 GROUP BY 1, 2',
      values: [jobId],
    });
    const counts: Record<string, number> = {};
    for (const { verdict, pages } of rows) if (verdict !== null) counts[verdict] = pages;
    return { counts, queued: rows.find(({ status }) => status === 'queued')?.pages ?? 0 };
  }

  /** Returns completed pages of a job by number, starting after `after`. */
  async ended(workspaceId: string, jobId: string, { after, limit }: EndedRange): Promise<EndedPage[]> {
    const { rows } = await this.#pool.query<EndedPage>({
      name: 'batch-ended',
      text: `
        SELECT capture_id AS "pageId", number, inputs FROM batch_pages
        WHERE job_id = $2 AND workspace_id = $1 AND number > $3 ORDER BY number LIMIT $4`,
      values: [workspaceId, jobId, after, limit],
    });
    return rows;
  }

  /** Returns completed pages of a job by their first input, starting after the place `after` (from 1), up to the first unfinished page. */
  async endedInInputOrder(workspaceId: string, jobId: string, { after, limit }: EndedRange): Promise<EndedPage[]> {
    const { rows } = await this.#pool.query<EndedPage>({
      name: 'batch-ended-in-input-order',
      text: `
        SELECT capture_id AS "pageId", place + 1 AS number, inputs FROM batch_pages
        WHERE job_id = $2 AND workspace_id = $1 AND place >= $3 AND number IS NOT NULL AND place < COALESCE(
          (SELECT min(place) FROM batch_pages WHERE job_id = $2 AND status IN ('queued', 'running')), 2147483647)
        ORDER BY place LIMIT $4`,
      values: [workspaceId, jobId, after, limit],
    });
    return rows;
  }

  /** Returns hosts of running batches with pages without a lease, whose work must be offered again. */
  async abandoned(limit: number): Promise<{ jobId: string; host: string }[]> {
    const { rows } = await this.#pool.query<{ job_id: string; host: string }>({
      name: 'batch-abandoned',
      text: `
        SELECT DISTINCT job_id, host FROM batch_pages
        WHERE status IN ('queued', 'running') AND (lease_until IS NULL OR lease_until < now()) LIMIT $1`,
      values: [limit],
    });
    return rows.map(({ job_id: jobId, host }) => ({ jobId, host }));
  }
}
