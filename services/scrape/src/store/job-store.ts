import { CaptureOptions } from '@tidemark/contracts/scrape/v1/scrape';
import {
  type ClaimedJob,
  type EarlierRequest,
  JOB_LEASE_SECONDS,
  type JobLeases,
  toEarlierRequest,
} from '@tidemark/jobs';
import { isPoison } from '@tidemark/leased-work';
import {
  Coalescer,
  inTransaction,
  type OutgoingEvent,
  outboxColumns,
  retryWhileDatabaseUnavailable,
  type StoppedWorkspace,
  writeEvents,
} from '@tidemark/service';
import type pg from 'pg';
import type { Job } from '../domain/job.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { batchEnded } from './batch-ended.ts';
import { toJob, traceOf } from './job-record.ts';

export interface NewJob {
  readonly job: Job;
  readonly trace: Readonly<Record<string, string>>;
  readonly idempotency: { readonly route: string; readonly key: string; readonly requestHash: string } | undefined;
}

interface FinishedJob {
  readonly job: Job;
  readonly messages: readonly OutgoingEvent[];
}

/**
 * Jobs as a state machine: each transition is `UPDATE … WHERE status = expected`, fenced by the owner, and writes its
 * events in the same statement. Concurrent transitions share a statement.
 */
export class JobStore {
  readonly #pool: pg.Pool;
  readonly #db: PrismaClient;
  readonly #leases: JobLeases;
  readonly #inserts: Coalescer<NewJob, boolean>;
  readonly #finishes: Coalescer<FinishedJob, boolean>;

  constructor(pool: pg.Pool, db: PrismaClient, leases: JobLeases) {
    this.#pool = pool;
    this.#db = db;
    this.#leases = leases;
    this.#inserts = new Coalescer((jobs) => this.#insertMany(jobs));
    this.#finishes = new Coalescer((jobs) => retryWhileDatabaseUnavailable(() => this.#finishMany(jobs), 20_000));
  }

  /**
   * Inserts a running job of this instance.
   * @returns false if its idempotency key belongs to an earlier request
   */
  create(job: NewJob): Promise<boolean> {
    return this.#inserts.add(job);
  }

  async #insertMany(jobs: readonly NewJob[]): Promise<boolean[]> {
    const { rows } = await this.#pool.query<{ id: string }>({
      name: 'create-jobs',
      text: `
        WITH requested AS (
          SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::jsonb[], $6::text[], $7::jsonb[], $8::text[], $9::text[], $10::text[], $11::timestamptz[], $14::text[], $15::text[], $16::text[])
            AS j(id, workspace_id, capture_id, url, options, request_id, trace, route, key, request_hash, created_at, kind, actor_id, destination_id)
        ), fresh AS (
          INSERT INTO idempotency_keys (workspace_id, route, key, request_hash, job_id)
          SELECT workspace_id, route, key, request_hash, id FROM requested WHERE key IS NOT NULL
          ON CONFLICT DO NOTHING RETURNING job_id
        )
        INSERT INTO jobs (id, workspace_id, capture_id, kind, status, url, options, request_id, trace, owner, lease_until, attempts, created_at,
          actor_id, destination_id)
        SELECT id, workspace_id, capture_id, kind, 'running', url, options, request_id, trace, $12, now() + make_interval(secs => $13), 1, created_at,
          actor_id, destination_id
        FROM requested WHERE key IS NULL OR id IN (SELECT job_id FROM fresh)
        RETURNING id`,
      values: [
        jobs.map(({ job }) => job.id),
        jobs.map(({ job }) => job.workspaceId),
        jobs.map(({ job }) => job.captureId),
        jobs.map(({ job }) => job.url),
        jobs.map(({ job }) => JSON.stringify(CaptureOptions.toJSON(job.options))),
        jobs.map(({ job }) => job.requestId),
        jobs.map(({ trace }) => JSON.stringify(trace)),
        jobs.map(({ idempotency }) => idempotency?.route ?? null),
        jobs.map(({ idempotency }) => idempotency?.key ?? null),
        jobs.map(({ idempotency }) => idempotency?.requestHash ?? null),
        jobs.map(({ job }) => job.createdAt),
        this.#leases.owner,
        JOB_LEASE_SECONDS,
        jobs.map(({ job }) => job.kind),
        jobs.map(({ job }) => job.actorId),
        jobs.map(({ job }) => job.destinationId ?? null),
      ],
    });
    const made = new Set(rows.map((row) => row.id));
    return jobs.map(({ job }) => made.has(job.id));
  }

  /**
   * Completes a job of this instance and writes its events.
   * @returns false if the job is no longer held by this instance: cancelled, or reassigned
   */
  finish(job: Job, messages: readonly OutgoingEvent[]): Promise<boolean> {
    return this.#finishes.add({ job, messages });
  }

  async #finishMany(finished: readonly FinishedJob[]): Promise<boolean[]> {
    const jobs = finished.map(({ job }) => job);
    const events = finished.flatMap(({ job, messages }) => messages.map((message) => ({ id: job.id, message })));
    const outbox = outboxColumns(events.map(({ message }) => message));
    const { rows } = await this.#pool.query<{ id: string }>({
      name: 'finish-jobs',
      text: `
        WITH ended AS (
          UPDATE jobs j SET status = f.status, credits = f.credits, pages = f.pages, error = f.error, finished_at = f.finished_at, lease_until = NULL
          FROM unnest($1::text[], $2::text[], $3::int[], $4::int[], $5::text[], $13::timestamptz[]) AS f(id, status, credits, pages, error, finished_at)
          WHERE j.id = f.id AND j.status = 'running' AND j.owner = $6
          RETURNING j.id
        ), written AS (
          INSERT INTO outbox (id, subject, payload, trace, awaiting)
          SELECT o.id, o.subject, o.payload, o.trace, o.awaiting::text[]
          FROM unnest($7::text[], $8::text[], $9::text[], $10::bytea[], $11::jsonb[], $12::text[]) AS o(job_id, id, subject, payload, trace, awaiting)
          JOIN ended ON ended.id = o.job_id
          ON CONFLICT DO NOTHING
        ), responded AS (
          UPDATE idempotency_keys k SET first_status = 'done' FROM ended WHERE k.job_id = ended.id AND k.first_status IS NULL
        )
        SELECT id FROM ended`,
      values: [
        jobs.map((job) => job.id),
        jobs.map((job) => job.status),
        jobs.map((job) => job.credits),
        jobs.map((job) => job.pages),
        jobs.map((job) => job.error ?? null),
        this.#leases.owner,
        events.map(({ id }) => id),
        outbox.ids,
        outbox.subjects,
        outbox.payloads,
        outbox.traces,
        outbox.awaiting,
        jobs.map((job) => job.finishedAt ?? null),
      ],
    });
    const ended = new Set(rows.map((row) => row.id));
    return jobs.map((job) => ended.has(job.id));
  }

  /**
   * Cancels a job and writes `events`, and those of the end of a batch, in the same transaction.
   * @returns the events that were written; undefined if the job had ended
   */
  cancel(
    { id, workspaceId, kind }: Pick<Job, 'id' | 'workspaceId' | 'kind'>,
    events: readonly OutgoingEvent[],
  ): Promise<readonly OutgoingEvent[] | undefined> {
    return inTransaction(this.#pool, async (client) => {
      const { rowCount } = await client.query({
        name: 'cancel-job',
        text: `
          WITH ended AS (
            UPDATE jobs SET status = 'cancelled', finished_at = now(), lease_until = NULL
            WHERE id = $1 AND workspace_id = $2 AND status IN ('queued', 'running') RETURNING id
          ), responded AS (
            UPDATE idempotency_keys k SET first_status = 'done' FROM ended WHERE k.job_id = ended.id AND k.first_status IS NULL
          )
          SELECT id FROM ended`,
        values: [id, workspaceId],
      });
      if ((rowCount ?? 0) === 0) return undefined;
      const written = kind === 'batch' ? [...events, ...(await batchEnded(client, id))] : events;
      await writeEvents(client, written);
      return written;
    });
  }

  /** Returns the unfinished jobs of workspaces, each that was created before `before` if that is given. */
  async unfinishedOf(stopped: readonly StoppedWorkspace[]): Promise<{ id: string; workspaceId: string }[]> {
    const { rows } = await this.#pool.query<{ id: string; workspaceId: string }>({
      name: 'unfinished-jobs-of',
      text: `
        SELECT j.id, j.workspace_id AS "workspaceId" FROM jobs j
        JOIN unnest($1::text[], $2::timestamptz[]) AS s(workspace_id, before) USING (workspace_id)
        WHERE j.status IN ('queued', 'running') AND (s.before IS NULL OR j.created_at < s.before)`,
      values: [stopped.map(({ workspaceId }) => workspaceId), stopped.map(({ before }) => before ?? null)],
    });
    return rows;
  }

  /**
   * Claims jobs whose lease has expired, except `except`.
   * @returns the claimed jobs, with the trace of each
   */
  async takeOver(limit: number, except: readonly string[]): Promise<ClaimedJob<Job>[]> {
    const ids = await this.#leases.claimExpired(limit, except);
    if (ids.length === 0) return [];
    const records = await this.#db.job.findMany({ where: { id: { in: ids } } });
    return records.map((record) => ({
      job: toJob(record),
      isPoison: isPoison(record.attempts - 1),
      trace: traceOf(record),
    }));
  }

  async find(workspaceId: string, id: string): Promise<Job | undefined> {
    const record = await this.#db.job.findFirst({ where: { id, workspaceId } });
    return record === null ? undefined : toJob(record);
  }

  /** Returns single pages and batches, newest first, starting before `cursor`. */
  async list(workspaceId: string, cursor: string, limit: number): Promise<Job[]> {
    const records = await this.#db.job.findMany({
      where: {
        workspaceId,
        kind: { in: ['scrape', 'batch'] },
        ...(cursor === '' ? {} : { id: { lt: cursor } }),
      },
      orderBy: { id: 'desc' },
      take: limit,
    });
    return records.map(toJob);
  }

  async findEarlier(workspaceId: string, route: string, key: string): Promise<EarlierRequest | undefined> {
    const found = await this.#db.idempotencyKey.findUnique({
      where: { workspaceId_route_key: { workspaceId, route, key } },
    });
    return toEarlierRequest(found);
  }
}
