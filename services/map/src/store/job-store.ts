import { facts } from '@tidemark/contracts';
import { type Outgoing, outboxColumns, whileDatabaseAway } from '@tidemark/service';
import type pg from 'pg';
import type { Job } from '../domain/job.ts';
import type { SiteFile } from '../domain/tree.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { toFile, toJob, traceOf } from './job-record.ts';

/** Seconds a process may go without a word before its jobs are another's. */
export const JOB_LEASE_SECONDS = 15;

export interface NewJob {
  readonly job: Job;
  readonly trace: Readonly<Record<string, string>>;
  readonly idempotency: { readonly key: string; readonly requestHash: string } | undefined;
}

export interface EarlierRequest {
  readonly jobId: string;
  readonly requestHash: string;
  /** How the first answer left; undefined while it hasn't. */
  readonly answered: 'done' | 'running' | undefined;
}

export interface Progress {
  readonly id: string;
  readonly done: number;
  readonly total: number;
}

/** Maps as moves of one state machine: each is `UPDATE … WHERE status = expected`, fenced by the owner, and tells its facts in the same statement. */
export class JobStore {
  readonly #pool: pg.Pool;
  readonly #db: PrismaClient;
  readonly #owner: string;

  constructor(pool: pg.Pool, db: PrismaClient, owner: string) {
    this.#pool = pool;
    this.#db = db;
    this.#owner = owner;
  }

  /** Writes a running job of ours. @returns false where its idempotency key belongs to an earlier request */
  async create({ job, trace, idempotency }: NewJob): Promise<boolean> {
    const { rows } = await this.#pool.query<{ id: string }>({
      name: 'create-map',
      text: `
        WITH fresh AS (
          INSERT INTO idempotency_keys (workspace_id, key, request_hash, job_id)
          SELECT $2, $9, $10, $1 WHERE $9::text IS NOT NULL
          ON CONFLICT DO NOTHING RETURNING job_id
        )
        INSERT INTO jobs (id, workspace_id, charge_id, status, url, site, options, request_id, trace, owner, lease_until, attempts, created_at)
        SELECT $1, $2, $3, 'running', $4, $5, $6::jsonb, $7, $8::jsonb, $11, now() + make_interval(secs => $12), 1, $13::timestamptz
        WHERE $9::text IS NULL OR EXISTS (SELECT FROM fresh)
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
        this.#owner,
        JOB_LEASE_SECONDS,
        job.createdAt,
      ],
    });
    return rows.length > 0;
  }

  /** Ends a job of ours with its files, and tells it. @returns false where it is no longer ours to end */
  async finish(job: Job, files: readonly SiteFile[], messages: readonly Outgoing[]): Promise<boolean> {
    const outbox = outboxColumns(messages, facts);
    const { rows } = await whileDatabaseAway(
      () =>
        this.#pool.query<{ id: string }>({
          name: 'finish-map',
          text: `
            WITH ended AS (
              UPDATE jobs SET status = $3, credits = $4, done = $5, total = $6, error = $7, stop = $8, finished_at = $9, method = $10,
                totals = $11::jsonb, robots = $12::jsonb, rows = $13, row_blobs = $14::text[], lease_until = NULL
              WHERE id = $1 AND status = 'running' AND owner = $2 RETURNING id, workspace_id
            ), tree AS (
              INSERT INTO files (job_id, number, workspace_id, file)
              SELECT ended.id, f.number, ended.workspace_id, f.file
              FROM ended, unnest($15::jsonb[]) WITH ORDINALITY AS f(file, number)
            ), told AS (
              INSERT INTO outbox (id, subject, payload, trace, awaiting)
              SELECT o.id, o.subject, o.payload, o.trace, o.awaiting::text[]
              FROM ended, unnest($16::text[], $17::text[], $18::bytea[], $19::jsonb[], $20::text[]) AS o(id, subject, payload, trace, awaiting)
              ON CONFLICT DO NOTHING
            ), answered AS (
              UPDATE idempotency_keys k SET answered = 'done' FROM ended WHERE k.job_id = ended.id AND k.answered IS NULL
            )
            SELECT id FROM ended`,
          values: [
            ...[job.id, this.#owner, job.status, job.credits, job.done, job.total, job.error ?? null, job.stop ?? null],
            ...[job.finishedAt ?? null, job.method, JSON.stringify(job.totals)],
            ...[job.robots === undefined ? null : JSON.stringify(job.robots), job.rows, [...job.rowBlobs]],
            files.map((file) => JSON.stringify(file)),
            ...[outbox.ids, outbox.subjects, outbox.payloads, outbox.traces, outbox.awaiting],
          ],
        }),
      20_000,
    );
    return rows.length > 0;
  }

  /** Takes over jobs nobody works on any more, other than those of `except`. @returns those that are ours from now on, with the trace each came in */
  async takeOver(limit: number, except: readonly string[]): Promise<{ job: Job; trace: Record<string, string> }[]> {
    const { rows } = await this.#pool.query<{ id: string }>({
      name: 'take-over-maps',
      text: `
        UPDATE jobs SET owner = $1, status = 'running', attempts = attempts + 1, lease_until = now() + make_interval(secs => $2)
        WHERE id IN (
          SELECT id FROM jobs WHERE status IN ('queued', 'running') AND lease_until < now() AND id <> ALL($4)
          ORDER BY lease_until LIMIT $3 FOR UPDATE SKIP LOCKED
        )
        RETURNING id`,
      values: [this.#owner, JOB_LEASE_SECONDS, limit, except],
    });
    if (rows.length === 0) return [];
    const records = await this.#db.job.findMany({ where: { id: { in: rows.map((row) => row.id) } } });
    return records.map((record) => ({ job: toJob(record), trace: traceOf(record) }));
  }

  /** Keeps our jobs ours, and notes how far they are. @returns those that still are */
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
        this.#owner,
        JOB_LEASE_SECONDS,
      ],
    });
    return new Set(rows.map((row) => row.id));
  }

  /** Lets go of a job of ours, to be tried again by anyone after a while. */
  async release(id: string, retryInSeconds: number): Promise<void> {
    await this.#pool.query({
      name: 'release-map',
      text: `UPDATE jobs SET lease_until = now() + make_interval(secs => $3) WHERE id = $1 AND owner = $2 AND status = 'running'`,
      values: [id, this.#owner, retryInSeconds],
    });
  }

  async find(workspaceId: string, id: string): Promise<Job | undefined> {
    const record = await this.#db.job.findFirst({ where: { id, workspaceId } });
    return record === null ? undefined : toJob(record);
  }

  /** The files of a map, in the order of its tree. */
  async files(workspaceId: string, jobId: string): Promise<SiteFile[]> {
    const found = await this.#db.file.findMany({ where: { workspaceId, jobId }, orderBy: { number: 'asc' } });
    return found.map(({ file }) => toFile(file));
  }

  async findEarlier(workspaceId: string, key: string): Promise<EarlierRequest | undefined> {
    const found = await this.#db.idempotencyKey.findUnique({ where: { workspaceId_key: { workspaceId, key } } });
    if (found === null) return undefined;
    const { jobId, requestHash, answered } = found;
    return { jobId, requestHash, answered: answered === 'done' || answered === 'running' ? answered : undefined };
  }

  /** Notes that the first answer to a job's request left while it was running. */
  async markAnswered(jobId: string): Promise<void> {
    await this.#db.idempotencyKey.updateMany({ where: { jobId, answered: null }, data: { answered: 'running' } });
  }

  /** Forgets keys older than a day. */
  async forgetOldKeys(): Promise<void> {
    await this.#db.idempotencyKey.deleteMany({ where: { createdAt: { lt: new Date(Date.now() - 86_400_000) } } });
  }
}
