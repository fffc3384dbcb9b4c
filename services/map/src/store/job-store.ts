import { codeOf } from '@tidemark/errors';
import {
  type ClaimedJob,
  type EarlierRequest,
  JOB_LEASE_SECONDS,
  type JobLeases,
  toEarlierRequest,
} from '@tidemark/jobs';
import { isPoison } from '@tidemark/leased-work';
import {
  inTransaction,
  type OutgoingEvent,
  outboxColumns,
  retryWhileDatabaseUnavailable,
  type StoppedWorkspace,
  writeEvents,
} from '@tidemark/service';
import type pg from 'pg';
import { createsSnapshot, type Job } from '../domain/job.ts';
import { isComplete, type SiteFile } from '../domain/tree.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { toFile, toJob, traceOf } from './records.ts';

const UNIQUE_VIOLATION = '23505';

export interface NewJob {
  readonly job: Job;
  readonly trace: Readonly<Record<string, string>>;
  readonly idempotency: { readonly key: string; readonly requestHash: string } | undefined;
}

/** A job that is cancelled, as far as its event needs it. */
export type CancelledJob = Pick<Job, 'workspaceId' | 'projectId' | 'actorId' | 'chargeId'>;

export interface Progress {
  readonly id: string;
  readonly done: number;
  readonly total: number;
}

/**
 * Stores map jobs. Each state transition is `UPDATE … WHERE status = expected AND owner = …`, with the owner as fencing token, and writes
 * its events in the same statement.
 */
export class JobStore {
  readonly #pool: pg.Pool;
  readonly #db: PrismaClient;
  readonly #leases: JobLeases;

  constructor(pool: pg.Pool, db: PrismaClient, leases: JobLeases) {
    this.#pool = pool;
    this.#db = db;
    this.#leases = leases;
  }

  /**
   * Creates a running job that this instance owns.
   * @returns key_taken if its idempotency key belongs to an earlier request; project_busy if a map of its project is running
   */
  async create(request: NewJob): Promise<'created' | 'key_taken' | 'project_busy'> {
    try {
      return (await this.#insert(request)) ? 'created' : 'key_taken';
    } catch (error) {
      // The unique index jobs_project_idx allows one running map per project.
      if (codeOf(error) !== UNIQUE_VIOLATION) throw error;
      return 'project_busy';
    }
  }

  async #insert({ job, trace, idempotency }: NewJob): Promise<boolean> {
    const { rows } = await this.#pool.query<{ id: string }>({
      name: 'create-map',
      text: `
        WITH new_key AS (
          INSERT INTO idempotency_keys (workspace_id, key, request_hash, job_id)
          SELECT $2, $9, $10, $1 WHERE $9::text IS NOT NULL
          ON CONFLICT DO NOTHING RETURNING job_id
        )
        INSERT INTO jobs (id, workspace_id, charge_id, status, url, site, options, request_id, trace, owner, lease_until, attempts, created_at, project_id, actor_id)
        SELECT $1, $2, $3, 'running', $4, $5, $6::jsonb, $7, $8::jsonb, $11, now() + make_interval(secs => $12), 1, $13::timestamptz, $14, $15
        WHERE $9::text IS NULL OR EXISTS (SELECT FROM new_key)
        RETURNING id`,
      values: [
        job.id,
        job.workspaceId,
        job.chargeId,
        job.url,
        job.site,
        JSON.stringify(job.options),
        job.requestId,
        JSON.stringify(trace),
        idempotency?.key ?? null,
        idempotency?.requestHash ?? null,
        this.#leases.owner,
        JOB_LEASE_SECONDS,
        job.createdAt,
        job.projectId,
        job.actorId,
      ],
    });
    return rows.length > 0;
  }

  /**
   * Returns the running map of the request's project, and assigns the request's idempotency key to it.
   * @returns undefined if that map has ended or the key belongs to an earlier request
   */
  async joinRunning({ job: { workspaceId, projectId }, idempotency }: NewJob): Promise<Job | undefined> {
    const { rows } = await this.#pool.query<{ id: string }>({
      name: 'join-map',
      text: `
        WITH running AS (
          SELECT id FROM jobs WHERE workspace_id = $1 AND project_id = $2 AND project_id <> '' AND status = 'running'
            AND options ->> 'forCrawl' IS DISTINCT FROM 'true'
        ), new_key AS (
          INSERT INTO idempotency_keys (workspace_id, key, request_hash, job_id)
          SELECT $1, $3, $4, id FROM running WHERE $3::text IS NOT NULL
          ON CONFLICT DO NOTHING RETURNING job_id
        )
        SELECT id FROM running WHERE $3::text IS NULL OR EXISTS (SELECT FROM new_key)`,
      values: [workspaceId, projectId, idempotency?.key ?? null, idempotency?.requestHash ?? null],
    });
    const [running] = rows;
    return running === undefined ? undefined : this.find(workspaceId, running.id);
  }

  /** Finishes a job with its files, snapshot and events. @returns false if this instance no longer owns the job */
  async finish(job: Job, files: readonly SiteFile[], events: readonly OutgoingEvent[]): Promise<boolean> {
    const outbox = outboxColumns(events);
    const { rows } = await retryWhileDatabaseUnavailable(
      () =>
        this.#pool.query<{ id: string }>({
          name: 'finish-map',
          text: `
            WITH ended AS (
              UPDATE jobs SET status = $3, credits = $4, done = $5, total = $6, error = $7, stop = $8, finished_at = $9, method = $10,
                totals = $11::jsonb, robots = $12::jsonb, rows = $13, row_blobs = $14::text[], lease_until = NULL
              WHERE id = $1 AND status = 'running' AND owner = $2 RETURNING id, workspace_id, project_id, site
            ), snapshot AS (
              INSERT INTO snapshots (id, workspace_id, project_id, site, subdomains, complete, totals, robots, taken_at, check_at)
              SELECT id, workspace_id, project_id, site, $21, $22, $11::jsonb, $12::jsonb, $9, now() + interval '1 day'
              FROM ended WHERE $23::boolean
            ), tree AS (
              INSERT INTO files (job_id, number, workspace_id, file)
              SELECT ended.id, f.number, ended.workspace_id, f.file
              FROM ended, unnest($15::jsonb[]) WITH ORDINALITY AS f(file, number)
            ), events AS (
              INSERT INTO outbox (id, subject, payload, trace, awaiting)
              SELECT o.id, o.subject, o.payload, o.trace, o.awaiting::text[]
              FROM ended, unnest($16::text[], $17::text[], $18::bytea[], $19::jsonb[], $20::text[]) AS o(id, subject, payload, trace, awaiting)
              ON CONFLICT DO NOTHING
            ), responded AS (
              UPDATE idempotency_keys k SET first_status = 'done' FROM ended WHERE k.job_id = ended.id AND k.first_status IS NULL
            )
            SELECT id FROM ended`,
          values: [
            job.id,
            this.#leases.owner,
            job.status,
            job.credits,
            job.done,
            job.total,
            job.error ?? null,
            job.stop ?? null,
            job.finishedAt ?? null,
            job.method ?? '',
            JSON.stringify(job.totals),
            job.robots === undefined ? null : JSON.stringify(job.robots),
            job.rows,
            [...job.rowBlobs],
            files.map((file) => JSON.stringify(file)),
            outbox.ids,
            outbox.subjects,
            outbox.payloads,
            outbox.traces,
            outbox.awaiting,
            job.options.allowSubdomains,
            isComplete(job.stop, files),
            createsSnapshot(job),
          ],
        }),
      20_000,
    );
    return rows.length > 0;
  }

  /** Cancels the unfinished jobs of workspaces and writes the event of each in the same transaction. */
  async cancelOf(
    stopped: readonly StoppedWorkspace[],
    eventOf: (job: CancelledJob) => OutgoingEvent,
  ): Promise<{ id: string; event: OutgoingEvent }[]> {
    return inTransaction(this.#pool, async (client) => {
      const { rows } = await client.query<CancelledJob & { readonly id: string }>({
        name: 'cancel-maps-of',
        text: `
          WITH ended AS (
            UPDATE jobs j SET status = 'cancelled', finished_at = now(), lease_until = NULL
            FROM unnest($1::text[], $2::timestamptz[]) AS s(workspace_id, before)
            WHERE j.workspace_id = s.workspace_id AND j.status IN ('queued', 'running') AND (s.before IS NULL OR j.created_at < s.before)
            RETURNING j.id, j.workspace_id AS "workspaceId", j.project_id AS "projectId", j.actor_id AS "actorId", j.charge_id AS "chargeId"
          ), responded AS (
            UPDATE idempotency_keys k SET first_status = 'done' FROM ended WHERE k.job_id = ended.id AND k.first_status IS NULL
          )
          SELECT * FROM ended`,
        values: [stopped.map(({ workspaceId }) => workspaceId), stopped.map(({ before }) => before ?? null)],
      });
      const cancelled = rows.map((job) => ({ id: job.id, event: eventOf(job) }));
      await writeEvents(
        client,
        cancelled.map(({ event }) => event),
      );
      return cancelled;
    });
  }

  /** Claims up to `limit` jobs whose lease has expired, except those of `except`. @returns them with the trace context of their request */
  async claimExpired(limit: number, except: readonly string[]): Promise<ClaimedJob<Job>[]> {
    const ids = await this.#leases.claimExpired(limit, except);
    if (ids.length === 0) return [];
    const records = await this.#db.job.findMany({ where: { id: { in: ids } } });
    return records.map((record) => ({
      job: toJob(record),
      isPoison: isPoison(record.attempts - 1),
      trace: traceOf(record),
    }));
  }

  /** Renews the leases of this instance's jobs and stores their progress. @returns the ids of the jobs that it still owns */
  async renew(progress: readonly Progress[]): Promise<Set<string>> {
    const { rows } = await this.#pool.query<{ id: string }>({
      name: 'renew-maps',
      text: `
        UPDATE jobs j SET lease_until = now() + make_interval(secs => $5), done = greatest(j.done, p.done), total = greatest(j.total, p.total)
        FROM unnest($1::text[], $2::int[], $3::int[]) AS p(id, done, total)
        WHERE j.id = p.id AND j.owner = $4 AND j.status = 'running' RETURNING j.id`,
      values: [
        progress.map(({ id }) => id),
        progress.map(({ done }) => done),
        progress.map(({ total }) => total),
        this.#leases.owner,
        JOB_LEASE_SECONDS,
      ],
    });
    return new Set(rows.map((row) => row.id));
  }

  async find(workspaceId: string, id: string): Promise<Job | undefined> {
    const record = await this.#db.job.findFirst({ where: { id, workspaceId } });
    return record === null ? undefined : toJob(record);
  }

  /** Returns the files of a map in tree order. */
  async files(workspaceId: string, jobId: string): Promise<SiteFile[]> {
    const found = await this.#db.file.findMany({ where: { workspaceId, jobId }, orderBy: { number: 'asc' } });
    return found.map(({ file }) => toFile(file));
  }

  async findEarlier(workspaceId: string, key: string): Promise<EarlierRequest | undefined> {
    const found = await this.#db.idempotencyKey.findUnique({ where: { workspaceId_key: { workspaceId, key } } });
    return toEarlierRequest(found);
  }
}
