import { column, nullable, type Params, sql, stateOf } from '@tidemark/sql';
import type pg from 'pg';
import type { Batch } from '../domain/batch.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { toBatch } from './job-record.ts';
import { schema } from './tables.ts';

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

interface RangeValues extends EndedRange {
  readonly workspaceId: string;
  readonly jobId: string;
}

const PAGE = { pageId: column('text'), number: column('int4'), inputs: column('int4[]') };

const TALLY = schema.prepareText(
  'batch-tally',
  {
    status: stateOf<'queued' | 'running' | 'done' | 'cancelled'>(),
    verdict: nullable('text'),
    missingValues: nullable('text'),
    pages: column('int4'),
  },
  ({ jobId }: Params<{ readonly jobId: string }>) =>
    sql`SELECT status, verdict, missing_values AS "missingValues", count(*)::int AS pages FROM batch_pages WHERE job_id = ${jobId} GROUP BY 1, 2, 3`,
);
const ENDED = schema.prepareText(
  'batch-ended',
  PAGE,
  ({ workspaceId, jobId, after, limit }: Params<RangeValues>) => sql`
    SELECT capture_id AS "pageId", coalesce(p.number, 0) AS number, inputs FROM batch_pages p
    WHERE job_id = ${jobId} AND workspace_id = ${workspaceId} AND p.number > ${after} ORDER BY p.number LIMIT ${limit}`,
);
const ENDED_IN_INPUT_ORDER = schema.prepareText(
  'batch-ended-in-input-order',
  PAGE,
  ({ workspaceId, jobId, after, limit }: Params<RangeValues>) => sql`
    SELECT capture_id AS "pageId", place + 1 AS number, inputs FROM batch_pages
    WHERE job_id = ${jobId} AND workspace_id = ${workspaceId} AND place >= ${after} AND number IS NOT NULL AND place < COALESCE(
      (SELECT min(place) FROM batch_pages WHERE job_id = ${jobId} AND status IN ('queued', 'running')), 2147483647)
    ORDER BY place LIMIT ${limit}`,
);
const ABANDONED = schema.prepareText(
  'batch-abandoned',
  { jobId: column('text'), host: column('text') },
  ({ limit }: Params<{ readonly limit: number }>) => sql`
    SELECT DISTINCT job_id AS "jobId", host FROM batch_pages
    WHERE status IN ('queued', 'running') AND (lease_until IS NULL OR lease_until < now()) LIMIT ${limit}`,
);

/** Numbers of pages of a batch. */
export interface BatchTally {
  /** By verdict. */
  readonly counts: Record<string, number>;
  /** By why a requested extraction has no values. */
  readonly missingValues: Record<string, number>;
  readonly queued: number;
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

  /** Returns the sealed secret of a batch's webhook, also after its end; undefined if it has none. */
  async sealedSecret(id: string): Promise<Uint8Array | undefined> {
    const record = await this.#db.job.findFirst({ where: { id, kind: 'batch' }, select: { webhookSecret: true } });
    return record?.webhookSecret ?? undefined;
  }

  /** Returns the number of completed pages by verdict and by why they have no values, and of queued ones. */
  async tally(jobId: string): Promise<BatchTally> {
    const rows = await TALLY.rows(this.#pool, { jobId });
    const counts: Record<string, number> = {};
    const missingValues: Record<string, number> = {};
    for (const { verdict, missingValues: why, pages } of rows) {
      if (verdict !== null) counts[verdict] = (counts[verdict] ?? 0) + pages;
      if (why !== null) missingValues[why] = (missingValues[why] ?? 0) + pages;
    }
    return { counts, missingValues, queued: rows.find(({ status }) => status === 'queued')?.pages ?? 0 };
  }

  /** Returns completed pages of a job by number, starting after `after`. */
  ended(workspaceId: string, jobId: string, { after, limit }: EndedRange): Promise<EndedPage[]> {
    return ENDED.rows(this.#pool, { workspaceId, jobId, after, limit });
  }

  /** Returns completed pages of a job by their first input, starting after the place `after` (from 1), up to the first unfinished page. */
  endedInInputOrder(workspaceId: string, jobId: string, { after, limit }: EndedRange): Promise<EndedPage[]> {
    return ENDED_IN_INPUT_ORDER.rows(this.#pool, { workspaceId, jobId, after, limit });
  }

  /** Returns hosts of running batches with pages without a lease, whose work must be offered again. */
  abandoned(limit: number): Promise<{ jobId: string; host: string }[]> {
    return ABANDONED.rows(this.#pool, { limit });
  }
}
